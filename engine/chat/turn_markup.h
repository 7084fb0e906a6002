/// Chat formats that put fixed texts around each message.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/chat/prompt_format.h"

namespace ingle::chat {

/// Text before and after a message.
struct Around {
    std::string_view before, after;
};

struct TurnMarkup {
    std::string_view begin;  ///< of the prompt
    Around system, user, assistant;
    std::string_view answer;  ///< begins the assistant's answer
    /// Where a system message stands.
    enum class System { OwnTurn, InsideUser } place = System::OwnTurn;
    bool trims = false;  ///< white space around messages is left out, as in what the models were trained on
};

/// With System::InsideUser a system message stands, in its own markup, at the beginning of the next user
/// message.
std::vector<tokenizer::TextSegment> renderTurns(const TurnMarkup& markup,
                                                std::span<const TextMessage> messages, GenerationPrompt add);

}  // namespace ingle::chat
