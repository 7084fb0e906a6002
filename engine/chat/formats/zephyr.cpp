// Zephyr, as StableLM 2 has it: <|role|>, newline, text, end of text, newline.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::zephyr_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"<|system|>\n", "<|endoftext|>\n"},
    .user = {"<|user|>\n", "<|endoftext|>\n"},
    .assistant = {"<|assistant|>\n", "<|endoftext|>\n"},
    .answer = "<|assistant|>\n",
};

constexpr std::array<std::string_view, 1> kStops = {"<|endoftext|>"};

int score(const formats::ModelFile& file) {
    const bool known = knowsMarkup(file, "<|user|>") && knowsMarkup(file, "<|endoftext|>");
    return known && !knowsMarkup(file, "[gMASK]") ? 4 : 0;
}

std::vector<tokenizer::TextSegment> render(std::span<const TextMessage> messages, GenerationPrompt add) {
    return renderTurns(kMarkup, messages, add);
}

}  // namespace

extern const PromptFormat prompt{.name = "zephyr", .score = score, .render = render, .stops = kStops};

}  // namespace ingle::chat::zephyr_prompt
