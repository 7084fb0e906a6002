// Phi-4: ChatML with a separator instead of the newline.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::phi4_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"<|im_start|>system<|im_sep|>", "<|im_end|>"},
    .user = {"<|im_start|>user<|im_sep|>", "<|im_end|>"},
    .assistant = {"<|im_start|>assistant<|im_sep|>", "<|im_end|>"},
    .answer = "<|im_start|>assistant<|im_sep|>",
};

constexpr std::array<std::string_view, 1> kStops = {"<|im_end|>"};

bool suits(const formats::ModelFile& file) {
    return knowsMarkup(file, "<|im_sep|>");
}

}  // namespace

extern const PromptFormat prompt{.name = "phi4",
                                 .precedence = Precedence::SpecificMark,
                                 .suits = suits,
                                 .markup = &kMarkup,
                                 .stops = kStops};

}  // namespace ingle::chat::phi4_prompt
