/// What models and their files say, on its way to standard output: a terminal obeys control characters, a
/// file does not.
#pragma once

#include <unistd.h>

#include <string>

#include "ingle/shown_text.h"

namespace ingle::cli {

/// The text itself, but where standard output is a terminal: there only new lines and tabs are left of what
/// it would obey.
inline std::string forStandardOutput(const std::string& text) {
    return ::isatty(STDOUT_FILENO) ? escaped(text, "\n\t") : text;
}

/// A word as a shell takes it, in quotes where it needs them.
inline std::string shellWord(const std::string& word) {
    constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace ingle::cli
