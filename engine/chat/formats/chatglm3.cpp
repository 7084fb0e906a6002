// ChatGLM3: [gMASK] sop, then <|role|>, newline and text. Its vocabulary is a SentencePiece one, unlike
// GLM-4's.
#include <array>

#include "engine/chat/turn_markup.h"

namespace ingle::chat::chatglm3_prompt {
namespace {

constexpr TurnMarkup kMarkup{
    .begin = "[gMASK]sop",
    .system = {"<|system|>\n ", ""},
    .user = {"<|user|>\n ", ""},
    .assistant = {"<|assistant|>\n ", ""},
    .answer = "<|assistant|>",
};

constexpr std::array<std::string_view, 2> kStops = {"<|user|>", "<|observation|>"};

bool suits(const formats::ModelFile& file) {
    const bool known = knowsMarkup(file, "[gMASK]") && knowsMarkup(file, "<|user|>");
    return known && file.tokenizer.model == "llama";
}

}  // namespace

extern const PromptFormat prompt{.name = "chatglm3",
                                 .precedence = Precedence::MarkAndVocabulary,
                                 .suits = suits,
                                 .markup = &kMarkup,
                                 .stops = kStops};

}  // namespace ingle::chat::chatglm3_prompt
