// "User:" and "Assistant:", for all models without a chat format of their own.
#include <array>

#include "engine/chat/plain_turns.h"

namespace ingle::chat::plain_prompt {
namespace {

/// The longer one takes the blank line away with it.
constexpr std::array<std::string_view, 2> kStops = {"\n\nUser:", "\nUser:"};

int score(const formats::ModelFile& /*file*/) {
    return 1;
}

}  // namespace

extern const PromptFormat prompt{
    .name = "plain", .score = score, .render = renderPlainTurns, .stops = kStops};

}  // namespace ingle::chat::plain_prompt
