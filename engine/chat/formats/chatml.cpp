// ChatML: <|im_start|>role, newline, text, <|im_end|>, newline. Used by Qwen, InternLM2 and many fine-tunes.
#include <algorithm>
#include <array>

#include "engine/chat/prompt_format.h"
#include "engine/chat/prompt_writer.h"

namespace ingle::chat {
namespace {

constexpr std::string_view kStart = "<|im_start|>";
constexpr std::array<std::string_view, 1> kStops = {"<|im_end|>"};

int score(const formats::ModelFile& file) {
    const formats::TokenizerData& tokenizer = file.tokenizer;
    if (tokenizer.chatTemplate.find(kStart) != std::string::npos) return 10;
    // Without a template the token alone tells; with one, the template has chosen something else.
    const bool hasToken = std::ranges::find(tokenizer.tokens, kStart) != tokenizer.tokens.end();
    return tokenizer.chatTemplate.empty() && hasToken ? 5 : 0;
}

std::string_view roleName(Role role) {
    switch (role) {
        case Role::System:
            return "system";
        case Role::User:
            return "user";
        case Role::Assistant:
            break;
    }
    return "assistant";
}

std::vector<tokenizer::TextSegment> render(std::span<const ChatMessage> messages) {
    PromptWriter prompt;
    for (const ChatMessage& message : messages) {
        prompt.markup(kStart).markup(roleName(message.role)).markup("\n");
        prompt.message(message.text).markup("<|im_end|>\n");
    }
    return prompt.markup(kStart).markup("assistant\n").take();
}

}  // namespace

extern const PromptFormat chatml_prompt;
const PromptFormat chatml_prompt{.name = "chatml", .score = score, .render = render, .stops = kStops};

}  // namespace ingle::chat
