#include "engine/chat/prompt_format.h"

#include <algorithm>

#include "engine/chat/turn_markup.h"

namespace ingle::chat {

const PromptFormat& choosePromptFormat(const formats::ModelFile& file) {
    const PromptFormat* best = nullptr;
    for (const PromptFormat* format : allPromptFormats()) {
        if (format->suits(file) && (best == nullptr || format->precedence > best->precedence)) best = format;
    }
    return *best;
}

std::vector<tokenizer::TextSegment> PromptFormat::render(std::span<const TextMessage> messages,
                                                         GenerationPrompt add) const {
    return markup ? renderTurns(*markup, messages, add) : renderer(messages, add);
}

bool knowsMarkup(const formats::ModelFile& file, std::string_view text) {
    const formats::TokenizerData& tokenizer = file.tokenizer;
    if (!tokenizer.chatTemplate.empty()) return tokenizer.chatTemplate.find(text) != std::string::npos;
    return std::ranges::find(tokenizer.tokens, text) != tokenizer.tokens.end();
}

}  // namespace ingle::chat
