/// Which letters the texts of a language have, and how often: what tells one encoding of a text from another.
#pragma once

#include <span>
#include <string_view>

namespace ingle::documents {

enum class Script {
    Latin,     ///< ASCII's letters and those listed
    Alphabet,  ///< those listed
    Han,       ///< those listed, and thousands of rare ones
};

struct Language {
    std::string_view name;  ///< of ISO 639, for tests
    Script script;
    double share;                 ///< of those listed among all letters
    std::u32string_view letters;  ///< small ones, the most frequent first, and of ASCII none
};

std::span<const Language> languagesWithLetters();

}  // namespace ingle::documents
