// "User: …" and "Assistant: …" with a blank line between turns, as RWKV models are trained on; for all models
// without a chat format of their own.
#include <array>

#include "engine/chat/prompt_format.h"
#include "engine/chat/prompt_writer.h"

namespace ingle::chat {
namespace {

/// The longer one takes the blank line away with it.
constexpr std::array<std::string_view, 2> kStops = {"\n\nUser:", "\nUser:"};

int score(const formats::ModelFile& /*file*/) {
    return 1;
}

/// A blank line ends a turn here, so inside a message it becomes a simple line break; breaks around it go.
std::string asOneParagraph(std::string_view text) {
    std::string out;
    bool breakPending = false;
    for (const char c : text) {
        if (c == '\r') continue;
        if (c == '\n') {
            breakPending = !out.empty();
            continue;
        }
        if (breakPending) out += '\n';
        breakPending = false;
        out += c;
    }
    return out;
}

std::vector<tokenizer::TextSegment> render(std::span<const ChatMessage> messages) {
    PromptWriter prompt;
    for (const ChatMessage& message : messages) {
        if (message.role == Role::User) prompt.markup("User: ");
        if (message.role == Role::Assistant) prompt.markup("Assistant: ");
        prompt.message(asOneParagraph(message.text)).markup("\n\n");
    }
    return prompt.markup("Assistant:").take();
}

}  // namespace

extern const PromptFormat plain_prompt;
const PromptFormat plain_prompt{.name = "plain", .score = score, .render = render, .stops = kStops};

}  // namespace ingle::chat
