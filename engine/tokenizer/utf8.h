/// Telling well-formed UTF-8 from other bytes.
/// Source: The Unicode Standard 15.0, section 3.9, table 3-7 (well-formed byte sequences).
#pragma once

#include <cstddef>
#include <string_view>

namespace ingle::tokenizer {

enum class Utf8Kind {
    Character,   ///< one well-formed code point
    Incomplete,  ///< the text ends inside what may become one
    Invalid,     ///< a maximal part that no continuation makes well-formed
};

struct Utf8Part {
    Utf8Kind kind;
    size_t bytes;  ///< at least 1
};

/// The first part of `text`, which is not empty.
Utf8Part firstUtf8Part(std::string_view text);

}  // namespace ingle::tokenizer
