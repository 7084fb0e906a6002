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

/// What stands around messages is far shorter in every published template.
constexpr size_t kMostMarkup = 4096;

/// At which places a text may be cut: at none where a special token of the vocabulary begins before it and
/// ends behind it.
std::vector<bool> allowedCuts(const formats::TokenizerData& data, std::string_view text) {
    std::vector<int> inside(text.size() + 1, 0);  // how many tokens more than at the place before
    for (size_t id = 0; id < data.types.size(); ++id) {
        if (data.types[id] != formats::TokenType::Control &&
            data.types[id] != formats::TokenType::UserDefined)
            continue;
        const std::string& token = data.tokens[id];
        if (token.size() < 2 || token.size() > text.size()) continue;
        for (size_t at = text.find(token); at != std::string_view::npos; at = text.find(token, at + 1)) {
            ++inside[at + 1];
            --inside[at + token.size()];
        }
    }
    std::vector<bool> allowed;
    int depth = 0;
    for (const int change : inside) allowed.push_back((depth += change) == 0);
    return allowed;
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
    if (before.size() > kMostMarkup || between.size() > kMostMarkup) return std::nullopt;
    PromptParts parts{.assistant = two.substr(second + kSecond.size())};
    // What both end with belongs to the question.
    size_t shared = 0;
    while (shared < before.size() && shared < between.size() &&
           before[before.size() - 1 - shared] == between[between.size() - 1 - shared])
        ++shared;
    const auto cutsBefore = allowedCuts(model.tokenizer, before);
    const auto cutsBetween = allowedCuts(model.tokenizer, between);
    while (shared > 0 && (!cutsBefore[before.size() - shared] || !cutsBetween[between.size() - shared]))
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
