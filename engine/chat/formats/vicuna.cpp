// Vicuna: USER: and ASSISTANT:, joined by spaces, an end token behind each answer.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::vicuna_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"", " "},
    .user = {"USER: ", " "},
    .assistant = {"ASSISTANT: ", "</s>"},
    .answer = "ASSISTANT:",
};

constexpr std::array<std::string_view, 1> kStops = {"USER:"};

int score(const formats::ModelFile& file) {
    return file.tokenizer.chatTemplate.find("USER:") != std::string::npos ? 4 : 0;
}

std::vector<tokenizer::TextSegment> render(std::span<const TextMessage> messages, GenerationPrompt add) {
    return renderTurns(kMarkup, messages, add);
}

}  // namespace

extern const PromptFormat prompt{.name = "vicuna", .score = score, .render = render, .stops = kStops};

}  // namespace ingle::chat::vicuna_prompt
