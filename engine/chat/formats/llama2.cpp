// Llama 2: <s>[INST] question [/INST] answer </s>, the system text inside the first question.
#include "engine/chat/turn_markup.h"

namespace ingle::chat::llama2_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"<<SYS>>\n", "\n<</SYS>>\n\n"},
    .user = {"<s>[INST] ", " [/INST]"},
    .assistant = {" ", " </s>"},
    .place = TurnMarkup::System::InsideUser,
    .trims = true,
};

int score(const formats::ModelFile& file) {
    return file.tokenizer.chatTemplate.find("[INST]") != std::string::npos ? 4 : 0;
}

std::vector<tokenizer::TextSegment> render(std::span<const TextMessage> messages, GenerationPrompt add) {
    return renderTurns(kMarkup, messages, add);
}

}  // namespace

extern const PromptFormat prompt{.name = "llama2", .score = score, .render = render, .stops = {}};

}  // namespace ingle::chat::llama2_prompt
