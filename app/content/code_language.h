/// Which language a block of code is in.
#pragma once

#include <string>
#include <string_view>

namespace ingle::content {

/// The first word of what follows a fence (Block::label), in lower case and without what other programs put
/// around it ("{.python}", "js{1,3}"); empty if there is none.
std::string codeLanguage(std::string_view label);

/// What names of files in that language end with, without the full stop; "txt" where nobody knows.
std::string_view codeExtension(std::string_view language);

}  // namespace ingle::content
