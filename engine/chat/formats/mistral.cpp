// Mistral from version 3 on: [INST] question[/INST] answer</s>, with the control tokens of its vocabulary.
#include "engine/chat/turn_markup.h"

namespace ingle::chat::mistral_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .begin = "<s>",
    .system = {"", "\n\n"},
    .user = {"[INST] ", "[/INST]"},
    .assistant = {" ", "</s>"},
    .place = TurnMarkup::System::InsideUser,
};

bool suits(const formats::ModelFile& file) {
    const bool hasControl = file.tokenizer.chatTemplate.empty() && knowsMarkup(file, "[INST]");
    return hasControl && !knowsMarkup(file, "[SYSTEM_PROMPT]");
}

}  // namespace

extern const PromptFormat prompt{
    .name = "mistral", .precedence = Precedence::OwnMark, .suits = suits, .markup = &kMarkup, .stops = {}};

}  // namespace ingle::chat::mistral_prompt
