/// JSON Schema (draft 2020-12), the part of it that docs/structured-answers.md states, as rules for JSON
/// text.
#pragma once

#include <memory>
#include <string_view>

#include "engine/grammar/grammar.h"
#include "engine/grammar/schema_check.h"

namespace ingle::grammar {

struct SchemaRules {
    Rules rules;
    /// What rules cannot keep is checked at the end; null: they keep all.
    std::shared_ptr<const SchemaCheck> check;
};

/// Every text that follows the rules, and passes the check, is JSON that the schema allows. Errors:
/// InvalidArgument, naming a keyword and its place.
Result<SchemaRules> readJsonSchema(std::string_view text);

/// The rules of a schema that rules alone keep. Errors: as readJsonSchema(); Unsupported where they do not.
Result<Rules> parseJsonSchema(std::string_view text);

}  // namespace ingle::grammar
