#include "engine/chat/markup.h"

#include <algorithm>
#include <utility>

namespace ingle::chat {
namespace {

/// The marks of published chat templates.
constexpr Markup kMarkups[] = {
    // Qwen3, DeepSeek-R1, SmolLM3, GLM-4.5 and many others.
    {"<think>", "</think>", PartKind::Thought},
    {"<seed:think>", "</seed:think>", PartKind::Thought},
    {"[THINK]", "[/THINK]", PartKind::Thought},                        // Magistral
    {"<|inner_prefix|>", "<|inner_suffix|>", PartKind::Thought},       // Apertus
    {"<|START_THINKING|>", "<|END_THINKING|>", PartKind::Thought},     // Command A
    {"<|channel>thought\n", "<channel|>", PartKind::Thought},          // Gemma 4
    {"<|channel|>analysis<|message|>", "<|end|>", PartKind::Thought},  // gpt-oss
    {"<|start|>assistant<|channel|>analysis<|message|>", "<|end|>", PartKind::Thought},
    {"<|channel|>commentary<|message|>", "<|end|>", PartKind::Text},
    {"<|start|>assistant<|channel|>commentary<|message|>", "<|end|>", PartKind::Text},
    {"<|channel|>commentary to=", "<|call|>", PartKind::ToolCall},
    {"<|start|>assistant<|channel|>commentary to=", "<|call|>", PartKind::ToolCall},
    {"<|channel|>final<|message|>", "", PartKind::Text},
    {"<|start|>assistant<|channel|>final<|message|>", "", PartKind::Text},
    {"<tool_call>", "</tool_call>", PartKind::ToolCall},  // Hermes, Qwen, GLM
    {"<seed:tool_call>", "</seed:tool_call>", PartKind::ToolCall},
    {"<|tool_call>", "<tool_call|>", PartKind::ToolCall},                                // Gemma 4
    {"[TOOL_CALLS]", "", PartKind::ToolCall},                                            // Mistral
    {"<|python_tag|>", "", PartKind::ToolCall},                                          // Llama 3.1
    {"<|tools_prefix|>", "<|tools_suffix|>", PartKind::ToolCall},                        // Apertus
    {"<|tool_call_start|>", "<|tool_call_end|>", PartKind::ToolCall},                    // LFM2
    {"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", PartKind::ToolCall},  // Kimi K2
    {"<\uFF5Ctool\u2581calls\u2581begin\uFF5C>", "<\uFF5Ctool\u2581calls\u2581end\uFF5C>",
     PartKind::ToolCall},  // DeepSeek
};

struct Mark {
    size_t at = std::string_view::npos;
    std::string_view text;
    const Markup* next = nullptr;  ///< what it begins; null when it ends something
};

/// The earliest mark; of those that begin at one place the longest.
void consider(Mark& best, std::string_view text, std::string_view mark, const Markup* next) {
    const size_t at = mark.empty() ? std::string_view::npos : text.find(mark);
    if (at == std::string_view::npos) return;
    if (at < best.at || (at == best.at && mark.size() > best.text.size())) best = {at, mark, next};
}

Mark firstMark(std::string_view text, const Markup* inside) {
    Mark best;
    // Inside something only its end counts: a thought may quote other marks.
    if (inside && !inside->end.empty()) {
        consider(best, text, inside->end, nullptr);
        return best;
    }
    for (const Markup& markup : kMarkups) consider(best, text, markup.begin, &markup);
    return best;
}

/// Bytes at the end that may still become `mark`.
size_t prefixTail(std::string_view text, std::string_view mark) {
    if (mark.empty()) return 0;
    for (size_t size = std::min(text.size(), mark.size() - 1); size > 0; --size)
        if (text.ends_with(mark.substr(0, size))) return size;
    return 0;
}

size_t undecidedTail(std::string_view text, const Markup* inside) {
    if (inside && !inside->end.empty()) return prefixTail(text, inside->end);
    size_t longest = 0;
    for (const Markup& markup : kMarkups) longest = std::max(longest, prefixTail(text, markup.begin));
    return longest;
}

}  // namespace

std::span<const Markup> allMarkups() {
    return kMarkups;
}

std::unordered_map<TokenId, std::string> markTokens(const formats::TokenizerData& data) {
    std::unordered_map<TokenId, std::string> found;
    for (size_t id = 0; id < data.types.size(); ++id) {
        const std::string& text = data.tokens[id];
        if (data.types[id] != formats::TokenType::Control || text.empty()) continue;
        const bool isPart = std::ranges::any_of(kMarkups, [&](const Markup& markup) {
            return markup.begin.find(text) != markup.begin.npos || markup.end.find(text) != markup.end.npos;
        });
        if (isPart) found.emplace(static_cast<TokenId>(id), text);
    }
    return found;
}

MarkupSplitter::MarkupSplitter(std::string_view promptEnd) {
    while (!promptEnd.empty() && (promptEnd.back() == '\n' || promptEnd.back() == ' '))
        promptEnd.remove_suffix(1);
    for (const Markup& markup : kMarkups) {
        std::string_view begin = markup.begin;
        while (begin.ends_with('\n')) begin.remove_suffix(1);
        if (promptEnd.ends_with(begin)) m_inside = &markup;
    }
}

void MarkupSplitter::emit(size_t size, std::vector<PartPiece>& out) {
    if (size == 0) return;
    const PartKind kind = m_inside ? m_inside->kind : PartKind::Text;
    out.push_back({kind, m_pending.substr(0, size), {}, std::exchange(m_begins, false)});
    m_pending.erase(0, size);
}

std::vector<PartPiece> MarkupSplitter::push(std::string_view text) {
    std::vector<PartPiece> out;
    m_pending += text;
    for (Mark mark = firstMark(m_pending, m_inside); mark.at != std::string_view::npos;
         mark = firstMark(m_pending, m_inside)) {
        const size_t size = mark.text.size();
        // A longer mark may begin at the same place and not be complete yet.
        if (mark.next && undecidedTail(m_pending, m_inside) >= m_pending.size() - mark.at) break;
        emit(mark.at, out);
        m_pending.erase(0, size);
        m_inside = mark.next;
        m_begins = true;
    }
    emit(m_pending.size() - undecidedTail(m_pending, m_inside), out);
    return out;
}

std::vector<PartPiece> MarkupSplitter::finish() {
    std::vector<PartPiece> out;
    emit(m_pending.size(), out);
    return out;
}

}  // namespace ingle::chat
