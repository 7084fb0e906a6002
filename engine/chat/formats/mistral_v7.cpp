// Mistral version 7: as before, and the system text in a turn of its own.
#include "engine/chat/turn_markup.h"

namespace ingle::chat::mistral_v7_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .begin = "<s>",
    .system = {"[SYSTEM_PROMPT] ", "[/SYSTEM_PROMPT]"},
    .user = {"[INST] ", "[/INST]"},
    .assistant = {" ", "</s>"},
};

int score(const formats::ModelFile& file) {
    return knowsMarkup(file, "[SYSTEM_PROMPT]") ? 7 : 0;
}

std::vector<tokenizer::TextSegment> render(std::span<const TextMessage> messages, GenerationPrompt add) {
    return renderTurns(kMarkup, messages, add);
}

}  // namespace

extern const PromptFormat prompt{.name = "mistral-v7", .score = score, .render = render, .stops = {}};

}  // namespace ingle::chat::mistral_v7_prompt
