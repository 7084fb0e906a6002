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

bool suits(const formats::ModelFile& file) {
    const bool known = knowsMarkup(file, "<|user|>") && knowsMarkup(file, "<|endoftext|>");
    return known && !knowsMarkup(file, "[gMASK]");
}

}  // namespace

extern const PromptFormat prompt{.name = "zephyr",
                                 .precedence = Precedence::PlainText,
                                 .suits = suits,
                                 .markup = &kMarkup,
                                 .stops = kStops};

}  // namespace ingle::chat::zephyr_prompt
