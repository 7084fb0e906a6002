#include "engine/import/prompt_parts.h"

#include <vector>

#include "engine/chat/prompt_renderer.h"

namespace ingle::importer {
namespace {

// Texts that no template has.
constexpr std::string_view kFirst = "qz1question", kAnswer = "qz2answer", kSecond = "qz3question";

std::string rendered(const chat::PromptRenderer& renderer, std::span<const ChatMessage> messages) {
    std::string out;
    for (const auto& segment : renderer.render(messages, chat::GenerationPrompt::Add).segments)
        out += segment.text;
    return out;
}

/// Whether a special token of the vocabulary begins before `at` in the text and ends behind it.
bool cutsToken(const formats::TokenizerData& data, std::string_view text, size_t at) {
    for (size_t id = 0; id < data.types.size(); ++id) {
        if (data.types[id] != formats::TokenType::Control &&
            data.types[id] != formats::TokenType::UserDefined)
            continue;
        const std::string& token = data.tokens[id];
        for (size_t found = text.find(token); found != std::string_view::npos && found < at && !token.empty();
             found = text.find(token, found + 1))
            if (found + token.size() > at) return true;
    }
    return false;
}

}  // namespace

std::optional<PromptParts> promptParts(const formats::ModelFile& model) {
    if (model.tokenizer.chatTemplate.empty()) return std::nullopt;
    const auto renderer = chat::PromptRenderer::create(model);
    const std::vector<ChatMessage> all{textMessage(Role::User, std::string(kFirst)),
                                       textMessage(Role::Assistant, std::string(kAnswer)),
                                       textMessage(Role::User, std::string(kSecond))};
    const std::string one = rendered(renderer, std::span(all).first(1));
    const std::string two = rendered(renderer, all);
    const size_t first = two.find(kFirst), answer = two.find(kAnswer), second = two.find(kSecond);
    if (first == std::string::npos || answer == std::string::npos || second == std::string::npos ||
        first > answer || answer > second)
        return std::nullopt;
    const std::string before = two.substr(0, first);
    const std::string between = two.substr(answer + kAnswer.size(), second - answer - kAnswer.size());
    PromptParts parts{.assistant = two.substr(second + kSecond.size())};
    // What both end with belongs to the question.
    size_t shared = 0;
    while (shared < before.size() && shared < between.size() &&
           before[before.size() - 1 - shared] == between[between.size() - 1 - shared])
        ++shared;
    while (shared > 0 && (cutsToken(model.tokenizer, before, before.size() - shared) ||
                          cutsToken(model.tokenizer, between, between.size() - shared)))
        --shared;
    parts.user = before.substr(before.size() - shared);
    parts.begin = before.substr(0, before.size() - shared);
    parts.end = between.substr(0, between.size() - shared);
    const auto round = [&](std::string_view question) {
        return fmt::format("{}{}{}", parts.user, question, parts.assistant);
    };
    const bool isOfThisForm =
        one == parts.begin + round(kFirst) &&
        two == fmt::format("{}{}{}{}{}", parts.begin, round(kFirst), kAnswer, parts.end, round(kSecond));
    return isOfThisForm ? std::optional(parts) : std::nullopt;
}

}  // namespace ingle::importer
