// Baichuan 13B and 2: reserved tokens before each message, the system text without one.
#include "engine/chat/turn_markup.h"

namespace ingle::chat::baichuan_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"", ""},
    .user = {"<reserved_106>", ""},
    .assistant = {"<reserved_107>", ""},
    .answer = "<reserved_107>",
};

bool suits(const formats::ModelFile& file) {
    return knowsMarkup(file, "<reserved_106>") && knowsMarkup(file, "<reserved_107>");
}

}  // namespace

extern const PromptFormat prompt{.name = "baichuan",
                                 .precedence = Precedence::VocabularyKind,
                                 .suits = suits,
                                 .markup = &kMarkup,
                                 .stops = {}};

}  // namespace ingle::chat::baichuan_prompt
