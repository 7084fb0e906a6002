/// "User: …" and "Assistant: …" with a blank line between turns.
#pragma once

#include <span>
#include <vector>

#include "engine/chat/prompt_format.h"

namespace ingle::chat {

/// A blank line ends a turn, so blank lines inside a message become simple line breaks.
std::vector<tokenizer::TextSegment> renderPlainTurns(std::span<const TextMessage> messages,
                                                     GenerationPrompt add);

}  // namespace ingle::chat
