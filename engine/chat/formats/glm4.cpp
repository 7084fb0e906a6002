// GLM-4: [gMASK]<sop>, then <|role|>, newline and text.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::glm4_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .begin = "[gMASK]<sop>",
    .system = {"<|system|>\n", ""},
    .user = {"<|user|>\n", ""},
    .assistant = {"<|assistant|>\n", ""},
    .answer = "<|assistant|>",
};

constexpr std::array<std::string_view, 2> kStops = {"<|user|>", "<|observation|>"};

bool suits(const formats::ModelFile& file) {
    return knowsMarkup(file, "[gMASK]") && knowsMarkup(file, "<|user|>");
}

}  // namespace

extern const PromptFormat prompt{.name = "glm4",
                                 .precedence = Precedence::SpecificMark,
                                 .suits = suits,
                                 .markup = &kMarkup,
                                 .stops = kStops};

}  // namespace ingle::chat::glm4_prompt
