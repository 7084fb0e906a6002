#include "engine/chat/control_tokens.h"

#include <algorithm>

namespace ingle::chat {
namespace {

/// Vocabularies also have blanks, words and punctuation of their own.
bool looksLikeMark(std::string_view text) {
    constexpr size_t kLeast = 3;
    constexpr std::string_view kBlanks = " \n\t\r", kNoBeginning = "\"'{}:,.-";
    const auto isWord = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    return text.size() >= kLeast && !isWord(text.front()) && !isWord(text.back()) &&
           kNoBeginning.find(text.front()) == text.npos && text.find_first_of(kBlanks) == text.npos;
}

}  // namespace

ControlTokens::ControlTokens(const formats::TokenizerData& data) {
    for (size_t id = 0; id < data.types.size(); ++id) {
        const std::string& text = data.tokens[id];
        const bool isOwn = data.types[id] == formats::TokenType::UserDefined && looksLikeMark(text);
        if (text.empty() || (data.types[id] != formats::TokenType::Control && !isOwn)) continue;
        m_texts.emplace(static_cast<TokenId>(id), text);
        m_byFirst[static_cast<unsigned char>(text.front())].push_back(text);
    }
    for (auto& texts : m_byFirst) std::ranges::stable_sort(texts, std::ranges::greater(), &std::string::size);
}

const std::string* ControlTokens::textOf(TokenId id) const {
    const auto found = m_texts.find(id);
    return found == m_texts.end() ? nullptr : &found->second;
}

std::string_view ControlTokens::beginningOf(std::string_view text) const {
    if (text.empty()) return {};
    const auto& texts = m_byFirst[static_cast<unsigned char>(text.front())];
    const auto token =
        std::ranges::find_if(texts, [text](const std::string& each) { return text.starts_with(each); });
    return token == texts.end() ? std::string_view() : *token;
}

std::string ControlTokens::spelled(std::string_view text) const {
    std::string out;
    while (!text.empty()) {
        const std::string_view token = beginningOf(text);
        if (!token.empty()) out += kSign;
        const size_t size = std::max<size_t>(token.size(), 1);
        out += text.substr(0, size);
        text.remove_prefix(size);
    }
    return out;
}

std::string withoutSigns(std::string_view spelled) {
    std::string text(spelled);
    std::erase(text, ControlTokens::kSign);
    return text;
}

}  // namespace ingle::chat
