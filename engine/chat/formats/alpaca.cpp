// Alpaca: a heading of three hashes before each message.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::alpaca_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"", "\n\n"},
    .user = {"### Instruction:\n", "\n\n"},
    .assistant = {"### Response:\n", "</s>\n\n"},
    .answer = "### Response:\n",
};

constexpr std::array<std::string_view, 1> kStops = {"### Instruction:"};

int score(const formats::ModelFile& file) {
    return file.tokenizer.chatTemplate.find("### Instruction") != std::string::npos ? 4 : 0;
}

std::vector<tokenizer::TextSegment> render(std::span<const TextMessage> messages, GenerationPrompt add) {
    return renderTurns(kMarkup, messages, add);
}

}  // namespace

extern const PromptFormat prompt{.name = "alpaca", .score = score, .render = render, .stops = kStops};

}  // namespace ingle::chat::alpaca_prompt
