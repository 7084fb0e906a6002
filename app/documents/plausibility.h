/// How likely a text is one of a language.
#pragma once

#include <string_view>

#include "app/documents/language_letters.h"

namespace ingle::documents {

/// The logarithm of a likelihood, comparable between readings of the same bytes: characters by their
/// frequencies, and little for what texts hardly have (changes of script or case within a word, signs between
/// letters, characters that are not assigned).
double plausibility(std::u32string_view text, const Language& language);

}  // namespace ingle::documents
