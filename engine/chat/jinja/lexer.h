/// A template's source as tokens.
/// Source: Jinja's template designer documentation; white space as Hugging Face sets it up (trim_blocks and
/// lstrip_blocks on, the last newline dropped).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingle/result.h"

namespace ingle::chat::jinja {

struct Token {
    enum class Kind {
        Data,
        BlockBegin,
        BlockEnd,
        OutputBegin,
        OutputEnd,
        Name,
        String,
        Integer,
        Float,
        Operator,
        End
    };
    Kind kind;
    std::string
        text;  ///< data and strings without their spelling: comments, escapes and trimmed space are gone
    size_t line;

    bool is(Kind wanted, std::string_view wantedText) const { return kind == wanted && text == wantedText; }
};

/// Ends with a token End. Errors: Corrupt, with the line.
Result<std::vector<Token>> tokenize(std::string_view source);

}  // namespace ingle::chat::jinja
