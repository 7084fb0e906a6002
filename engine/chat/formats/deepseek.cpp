// DeepSeek V3: full-width bars around the role, the end of the sentence behind each answer.
#include "engine/chat/turn_markup.h"

namespace ingle::chat::deepseek_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .begin = "<\uFF5Cbegin\u2581of\u2581sentence\uFF5C>",
    .system = {"", ""},
    .user = {"<\uFF5CUser\uFF5C>", ""},
    .assistant = {"<\uFF5CAssistant\uFF5C>", "<\uFF5Cend\u2581of\u2581sentence\uFF5C>"},
    .answer = "<\uFF5CAssistant\uFF5C>",
};

bool suits(const formats::ModelFile& file) {
    return knowsMarkup(file, "<\uFF5CUser\uFF5C>");
}

}  // namespace

extern const PromptFormat prompt{
    .name = "deepseek", .precedence = Precedence::OwnMark, .suits = suits, .markup = &kMarkup, .stops = {}};

}  // namespace ingle::chat::deepseek_prompt
