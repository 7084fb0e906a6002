#include "engine/chat/prompt_format.h"

#include <algorithm>

namespace ingle::chat {

const PromptFormat& choosePromptFormat(const formats::ModelFile& file) {
    const auto scoreOf = [&](const PromptFormat* format) { return format->score(file); };
    return **std::ranges::max_element(allPromptFormats(), {}, scoreOf);
}

bool knowsMarkup(const formats::ModelFile& file, std::string_view text) {
    const formats::TokenizerData& tokenizer = file.tokenizer;
    if (!tokenizer.chatTemplate.empty()) return tokenizer.chatTemplate.find(text) != std::string::npos;
    return std::ranges::find(tokenizer.tokens, text) != tokenizer.tokens.end();
}

}  // namespace ingle::chat
