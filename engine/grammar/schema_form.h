/// Whether the keywords of a JSON Schema have the arguments that they should have.
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/grammar/schema_document.h"

namespace ingle::grammar {

/// One thread.
class SchemaForm {
  public:
    using Json = SchemaDocument::Json;

    explicit SchemaForm(const SchemaDocument& document) : m_document(document) {}

    /// Of a schema, and of all that it holds and refers to. Errors: InvalidArgument, with the keyword and its
    /// place; Unsupported keywords that change which values are valid.
    Status check(const Json& schema, const std::string& place);

  private:
    Status checkOne(const Json& schema, const std::string& place);
    Status checkKeyword(const std::string& name, const Json& argument, const std::string& place);
    Status checkEach(const Json& schemas, const std::string& place);

    const SchemaDocument& m_document;
    std::unordered_set<const Json*> m_seen;
    std::vector<std::pair<const Json*, std::string>> m_waiting;  ///< what is referred to, with its place
};

}  // namespace ingle::grammar
