/// A JSON Schema as it was written, with references that all begin at its root.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ingle/result.h"

namespace ingle::grammar {

/// Immutable.
class SchemaDocument {
  public:
    using Json = nlohmann::ordered_json;

    /// References to a part with an `$id` of its own, and to an `$anchor`, become pointers from the root.
    /// Errors: InvalidArgument; a reference to another document.
    static Result<SchemaDocument> parse(std::string_view text);

    const Json& root() const { return m_root; }
    /// What a pointer such as "#/$defs/P" points to; null: there is nothing.
    const Json* at(std::string_view pointer) const;

  private:
    Json m_root;
};

}  // namespace ingle::grammar
