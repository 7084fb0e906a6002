#include "engine/chat/plain_turns.h"

#include "engine/chat/prompt_writer.h"

namespace ingle::chat {
namespace {

/// Without blank lines, and without line breaks at the ends.
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

}  // namespace

std::vector<tokenizer::TextSegment> renderPlainTurns(std::span<const TextMessage> messages,
                                                     GenerationPrompt add) {
    PromptWriter prompt;
    for (const TextMessage& message : messages) {
        if (message.role == Role::User) prompt.markup("User: ");
        if (message.role == Role::Assistant) prompt.markup("Assistant: ");
        prompt.message(asOneParagraph(message.text)).markup("\n\n");
    }
    if (add == GenerationPrompt::Add) prompt.markup("Assistant:");
    return prompt.take();
}

}  // namespace ingle::chat
