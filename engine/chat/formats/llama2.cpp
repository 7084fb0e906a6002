// Llama 2: <s>[INST] question [/INST] answer </s>, the system text inside the first question.
#include "engine/chat/turn_markup.h"

namespace ingle::chat::llama2_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"<<SYS>>\n", "\n<</SYS>>\n\n"},
    .user = {"<s>[INST] ", " [/INST]"},
    .assistant = {" ", " </s>"},
    .place = TurnMarkup::System::InsideUser,
    .trims = true,
};

bool suits(const formats::ModelFile& file) {
    return file.tokenizer.chatTemplate.find("[INST]") != std::string::npos;
}

}  // namespace

extern const PromptFormat prompt{
    .name = "llama2", .precedence = Precedence::PlainText, .suits = suits, .markup = &kMarkup, .stops = {}};

}  // namespace ingle::chat::llama2_prompt
