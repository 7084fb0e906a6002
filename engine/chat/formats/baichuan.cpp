// Baichuan 13B and 2: reserved tokens before each message, the system text without one.
#include "engine/chat/turn_markup.h"

namespace ingle::chat::baichuan_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"", ""},
    .user = {"<reserved_106>", ""},
    .assistant = {"<reserved_107>", ""},
    .answer = "<reserved_107>",
};

int score(const formats::ModelFile& file) {
    return knowsMarkup(file, "<reserved_106>") && knowsMarkup(file, "<reserved_107>") ? 3 : 0;
}

std::vector<tokenizer::TextSegment> render(std::span<const TextMessage> messages, GenerationPrompt add) {
    return renderTurns(kMarkup, messages, add);
}

}  // namespace

extern const PromptFormat prompt{.name = "baichuan", .score = score, .render = render, .stops = {}};

}  // namespace ingle::chat::baichuan_prompt
