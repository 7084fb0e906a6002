/// Grammars in GBNF, the notation of llama.cpp (its grammars/README.md): rules `name ::= …`, alternatives,
/// "literals", [classes], ., (groups), * + ? {m} {m,} {m,n}, # comments, and tokens: <[id]>, <text> and with
/// a ! before them all others.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/grammar/grammar.h"

namespace ingle::grammar {

/// The token that has this text; nothing: none has.
using TokenOf = std::function<std::optional<uint32_t>(const std::string& text)>;

/// `tokenOf` null: tokens are named by their ids only. Errors: InvalidArgument, with the line.
Result<Rules> parseGbnf(std::string_view text, const TokenOf& tokenOf = nullptr);

}  // namespace ingle::grammar
