/// Texts of other programs' chats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingle/part.h"

namespace ingle::exchange {

/// U+FFFD in place of bytes that are no UTF-8.
std::string wellFormed(std::string text);
/// At most `bytes`, whole characters.
std::string firstBytes(std::string_view text, size_t bytes);
std::string_view trimmed(std::string_view text);

/// What an answer says, and what was thought before: <think>…</think> at its beginning, as models write it,
/// is a thought; so is what Open WebUI folds in <details type="reasoning">, wherever it stands.
std::vector<Part> partsOfAnswer(std::string_view text);

/// One part, or none for an empty text.
std::vector<Part> partsOfText(std::string_view text);

}  // namespace ingle::exchange
