// Phi-3: <|role|>, newline, text, <|end|>, newline.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::phi3_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"<|system|>\n", "<|end|>\n"},
    .user = {"<|user|>\n", "<|end|>\n"},
    .assistant = {"<|assistant|>\n", "<|end|>\n"},
    .answer = "<|assistant|>\n",
};

constexpr std::array<std::string_view, 1> kStops = {"<|end|>"};

bool suits(const formats::ModelFile& file) {
    return knowsMarkup(file, "<|user|>") && knowsMarkup(file, "<|end|>");
}

}  // namespace

extern const PromptFormat prompt{
    .name = "phi3", .precedence = Precedence::OwnMark, .suits = suits, .markup = &kMarkup, .stops = kStops};

}  // namespace ingle::chat::phi3_prompt
