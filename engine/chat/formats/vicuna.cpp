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

bool suits(const formats::ModelFile& file) {
    return file.tokenizer.chatTemplate.find("USER:") != std::string::npos;
}

}  // namespace

extern const PromptFormat prompt{.name = "vicuna",
                                 .precedence = Precedence::PlainText,
                                 .suits = suits,
                                 .markup = &kMarkup,
                                 .stops = kStops};

}  // namespace ingle::chat::vicuna_prompt
