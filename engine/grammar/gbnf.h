/// Grammars in GBNF, the notation of llama.cpp (its grammars/README.md): rules `name ::= …`, alternatives,
/// "literals", [classes], ., (groups), * + ? {m} {m,} {m,n}, and # comments.
#pragma once

#include <string_view>

#include "engine/grammar/grammar.h"

namespace ingle::grammar {

/// Errors: InvalidArgument, with the line.
Result<Rules> parseGbnf(std::string_view text);

}  // namespace ingle::grammar
