// Gemma: <start_of_turn>role, newline, text, <end_of_turn>. There is no system role: that text begins the
// first question.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::gemma_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .begin = "<bos>",
    .system = {"", "\n\n"},
    .user = {"<start_of_turn>user\n", "<end_of_turn>\n"},
    .assistant = {"<start_of_turn>model\n", "<end_of_turn>\n"},
    .answer = "<start_of_turn>model\n",
    .place = TurnMarkup::System::InsideUser,
    .trims = true,
};

constexpr std::array<std::string_view, 1> kStops = {"<end_of_turn>"};

bool suits(const formats::ModelFile& file) {
    return knowsMarkup(file, "<start_of_turn>");
}

}  // namespace

extern const PromptFormat prompt{
    .name = "gemma", .precedence = Precedence::OwnMark, .suits = suits, .markup = &kMarkup, .stops = kStops};

}  // namespace ingle::chat::gemma_prompt
