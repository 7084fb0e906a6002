/// Whether a value follows a JSON Schema (draft 2020-12): for what rules cannot keep while an answer is
/// written.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/grammar/schema_document.h"

namespace ingle::grammar {

/// Whether that keyword says which values are valid, and combines no schemas. All others say nothing here.
bool isConstraint(std::string_view name);
/// Whether it is one of those that rules cannot keep, or not in all cases.
bool isOnlyChecked(std::string_view name);

/// Immutable. Any thread.
class SchemaCheck {
  public:
    using Json = SchemaDocument::Json;

    explicit SchemaCheck(std::shared_ptr<const SchemaDocument> document) : m_document(std::move(document)) {}

    /// What does not hold of a JSON text, with its place, as a part of a sentence. Nothing: it follows the
    /// schema.
    std::optional<std::string> violation(std::string_view text) const;
    /// Whether `value` follows `schema`, a part of the document: work on the way to rules. Errors: those of
    /// SchemaDocument::spend().
    Result<bool> accepts(const Json& value, const Json& schema) const;
    /// Whether it means the same: numbers by what they are worth, members in any order.
    static bool isSame(const Json& a, const Json& b);
    static bool isOf(const Json& value, std::string_view type);
    /// Whether a `pattern` can be checked at all.
    static bool isPattern(const std::string& pattern);

  private:
    std::shared_ptr<const SchemaDocument> m_document;
};

}  // namespace ingle::grammar
