#include "app/library/display_name.h"

#include <algorithm>
#include <array>

namespace ingle::library {
namespace {

constexpr std::string_view kSeparators = "-_. ";
constexpr std::array<std::string_view, 5> kFileEndings{".gguf", ".bin", ".flm", ".ggml", ".safetensors"};

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
bool isOfWord(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || c == '_';
}

/// "q4_k_m" behind `begin`, which "q" is: a digit, and then whatever may stand in a word.
bool isNumbered(std::string_view word, std::string_view begin) {
    if (!word.starts_with(begin)) return false;
    word.remove_prefix(begin.size());
    return !word.empty() && isDigit(word[0]) && std::ranges::all_of(word, isOfWord);
}

/// "f16", "bf16", "fp32"
bool isFloat(std::string_view word) {
    if (word.starts_with('b')) word.remove_prefix(1);
    if (!word.starts_with('f')) return false;
    word.remove_prefix(word.starts_with("fp") ? 2 : 1);
    return word == "16" || word == "32";
}

/// "00001-of-00003"
bool isPart(std::string_view word) {
    constexpr std::string_view kForm = "00000-of-00000";
    return std::ranges::equal(word, kForm,
                              [](char c, char form) { return form == '0' ? isDigit(c) : c == form; });
}

/// Whether a word, of small letters, says how a file is stored.
bool isOfStorage(std::string_view word) {
    constexpr std::array<std::string_view, 4> kWords{"ud", "gguf", "ggml", "imat"};
    const bool isMxfp4 = word.starts_with("mxfp4") && std::ranges::all_of(word, isOfWord);
    return isMxfp4 || isNumbered(word, "q") || isNumbered(word, "iq") || isNumbered(word, "tq") ||
           isFloat(word) || isPart(word) || std::ranges::find(kWords, word) != kWords.end();
}

/// Where what says how the file is stored begins, at the end of a name of small letters; the end: there is
/// none.
size_t storageBegin(std::string_view name) {
    for (size_t at = name.find_first_of(kSeparators); at != name.npos;
         at = name.find_first_of(kSeparators, at)) {
        const size_t word = std::min(name.find_first_not_of(kSeparators, at), name.size());
        if (at > 0 && isOfStorage(name.substr(word))) return at;
        at = word;
    }
    for (const std::string_view ending : kFileEndings)
        if (name.size() > ending.size() && name.ends_with(ending)) return name.size() - ending.size();
    return name.size();
}

}  // namespace

std::string displayName(std::string_view name) {
    std::string shown(name), small(name);
    std::ranges::transform(small, small.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
    });
    while (storageBegin(small) < small.size()) small.resize(storageBegin(small));
    shown.resize(small.size());
    if (shown.find(' ') == std::string::npos)
        std::ranges::replace_if(
            shown, [](char c) { return c == '-' || c == '_'; }, ' ');
    return shown;
}

}  // namespace ingle::library
