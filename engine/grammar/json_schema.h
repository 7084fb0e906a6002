/// JSON Schema (draft 2020-12), the part of it that docs/structured-answers.md states, as rules for JSON
/// text.
#pragma once

#include <string_view>

#include "engine/grammar/grammar.h"

namespace ingle::grammar {

/// Every text that follows the rules is JSON that the schema allows. Errors: InvalidArgument, naming a
/// keyword outside that part and its place.
Result<Rules> parseJsonSchema(std::string_view text);

}  // namespace ingle::grammar
