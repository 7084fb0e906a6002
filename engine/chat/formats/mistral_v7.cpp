// Mistral version 7: as before, and the system text in a turn of its own.
#include "engine/chat/turn_markup.h"

namespace ingle::chat::mistral_v7_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .begin = "<s>",
    .system = {"[SYSTEM_PROMPT] ", "[/SYSTEM_PROMPT]"},
    .user = {"[INST] ", "[/INST]"},
    .assistant = {" ", "</s>"},
};

bool suits(const formats::ModelFile& file) {
    return knowsMarkup(file, "[SYSTEM_PROMPT]");
}

}  // namespace

extern const PromptFormat prompt{.name = "mistral-v7",
                                 .precedence = Precedence::SpecificMark,
                                 .suits = suits,
                                 .markup = &kMarkup,
                                 .stops = {}};

}  // namespace ingle::chat::mistral_v7_prompt
