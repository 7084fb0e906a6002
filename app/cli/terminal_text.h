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

}  // namespace ingle::cli
