/// An answer as one text: what a model thinks and the tools it calls, told apart by fixed marks.
#pragma once

#include <string>
#include <string_view>

#include "ingle/types.h"

namespace ingle {

/// Around what a model thinks. Chat templates know these marks in the messages of earlier turns, too.
constexpr std::string_view kThinkBegin = "<think>\n";
constexpr std::string_view kThinkEnd = "\n</think>\n\n";
/// Around the call of a tool: a block of code in Markdown.
constexpr std::string_view kToolCallBegin = "\n```tool_call\n";
constexpr std::string_view kToolCallEnd = "\n```\n";

/// Writes pieces of different kinds one after another. One thread.
class AnswerText {
  public:
    /// `written` is what there is of the answer already.
    explicit AnswerText(std::string_view written = {}) {
        if (isOpen(written, kThinkBegin, kThinkEnd)) m_kind = TextKind::Reasoning;
        if (isOpen(written, kToolCallBegin, kToolCallEnd)) m_kind = TextKind::ToolCall;
    }

    /// The text to append for a piece.
    std::string add(TextKind kind, std::string_view text) {
        std::string out;
        if (text.empty()) return out;
        if (kind != m_kind) {
            (out += end()) += begin(kind);
            m_kind = kind;
        }
        return out += text;
    }

    /// What closes a piece that is open at the end of the answer.
    std::string finish() {
        std::string out(end());
        m_kind = TextKind::Answer;
        return out;
    }

  private:
    static bool isOpen(std::string_view text, std::string_view begin, std::string_view end) {
        const size_t last = text.rfind(begin);
        return last != std::string_view::npos &&
               text.find(end, last + begin.size()) == std::string_view::npos;
    }

    static std::string_view begin(TextKind kind) {
        return kind == TextKind::Reasoning  ? kThinkBegin
               : kind == TextKind::ToolCall ? kToolCallBegin
                                            : std::string_view();
    }

    std::string_view end() const {
        return m_kind == TextKind::Reasoning  ? kThinkEnd
               : m_kind == TextKind::ToolCall ? kToolCallEnd
                                              : std::string_view();
    }

    TextKind m_kind = TextKind::Answer;
};

}  // namespace ingle
