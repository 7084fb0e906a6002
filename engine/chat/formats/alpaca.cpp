// Alpaca: a heading of three hashes before each message.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::alpaca_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .system = {"", "\n\n"},
    .user = {"### Instruction:\n", "\n\n"},
    .assistant = {"### Response:\n", "</s>\n\n"},
    .answer = "### Response:\n",
};

constexpr std::array<std::string_view, 1> kStops = {"### Instruction:"};

bool suits(const formats::ModelFile& file) {
    return file.tokenizer.chatTemplate.find("### Instruction") != std::string::npos;
}

}  // namespace

extern const PromptFormat prompt{.name = "alpaca",
                                 .precedence = Precedence::PlainText,
                                 .suits = suits,
                                 .markup = &kMarkup,
                                 .stops = kStops};

}  // namespace ingle::chat::alpaca_prompt
