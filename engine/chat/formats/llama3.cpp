// Llama 3: a header with the role, two newlines, the text, <|eot_id|>.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::llama3_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .begin = "<|begin_of_text|>",
    .system = {"<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"},
    .user = {"<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"},
    .assistant = {"<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"},
    .answer = "<|start_header_id|>assistant<|end_header_id|>\n\n",
    .trims = true,
};

constexpr std::array<std::string_view, 1> kStops = {"<|eot_id|>"};

bool suits(const formats::ModelFile& file) {
    return knowsMarkup(file, "<|start_header_id|>");
}

}  // namespace

extern const PromptFormat prompt{
    .name = "llama3", .precedence = Precedence::OwnMark, .suits = suits, .markup = &kMarkup, .stops = kStops};

}  // namespace ingle::chat::llama3_prompt
