// ChatML: <|im_start|>role, newline, text, <|im_end|>, newline. Used by Qwen, InternLM2 and many fine-tunes.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::chatml_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"<|im_start|>system\n", "<|im_end|>\n"},
    .user = {"<|im_start|>user\n", "<|im_end|>\n"},
    .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
    .answer = "<|im_start|>assistant\n",
};

constexpr std::array<std::string_view, 1> kStops = {"<|im_end|>"};

bool suits(const formats::ModelFile& file) {
    return knowsMarkup(file, "<|im_start|>");
}

}  // namespace

extern const PromptFormat prompt{.name = "chatml",
                                 .precedence = Precedence::SharedMark,
                                 .suits = suits,
                                 .markup = &kMarkup,
                                 .stops = kStops};

}  // namespace ingle::chat::chatml_prompt
