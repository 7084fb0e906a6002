// RWKV World: "User:" and "Assistant:"; an answer ends at its first blank line.
#include <array>

#include "engine/chat/plain_turns.h"

namespace ingle::chat::rwkv_world_prompt {
namespace {

constexpr std::array<std::string_view, 1> kStops = {"\n\n"};

bool suits(const formats::ModelFile& file) {
    return file.tokenizer.model == "rwkv";
}

}  // namespace

extern const PromptFormat prompt{.name = "rwkv-world",
                                 .precedence = Precedence::VocabularyKind,
                                 .suits = suits,
                                 .renderer = renderPlainTurns,
                                 .stops = kStops};

}  // namespace ingle::chat::rwkv_world_prompt
