// "User:" and "Assistant:", for all models without a chat format of their own.
#include <array>

#include "engine/chat/plain_turns.h"

namespace ingle::chat::plain_prompt {
namespace {

/// The longer one takes the blank line away with it.
constexpr std::array<std::string_view, 2> kStops = {"\n\nUser:", "\nUser:"};

bool suits(const formats::ModelFile& /*file*/) {
    return true;
}

}  // namespace

extern const PromptFormat prompt{.name = "plain",
                                 .precedence = Precedence::Fallback,
                                 .suits = suits,
                                 .renderer = renderPlainTurns,
                                 .stops = kStops};

}  // namespace ingle::chat::plain_prompt
