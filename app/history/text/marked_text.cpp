#include "app/history/text/marked_text.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ingle::history {
namespace {

// "<think>\n" thought "\n</think>\n\n", and "\n```tool_call\n" call "\n```\n".
constexpr std::string_view kThinkBegin = "<think>";
constexpr std::string_view kThinkEnd = "</think>";
constexpr std::string_view kToolCallBegin = "```tool_call";
constexpr std::string_view kToolCallEnd = "```";

/// The characters that open a block of code in Markdown, three or more of one kind; or nothing.
std::string_view openingFence(std::string_view line) {
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(indent);
    if (indent > 3 || line.empty() || (line[0] != '`' && line[0] != '~')) return {};
    const std::string_view fence = line.substr(0, line.find_first_not_of(line[0]));
    const bool inlineCode = fence[0] == '`' && line.find('`', fence.size()) != std::string_view::npos;
    return fence.size() < 3 || inlineCode ? std::string_view() : fence;
}

bool closesFence(std::string_view line, std::string_view fence) {
    const std::string_view closing = openingFence(line);
    return closing.size() >= fence.size() && closing[0] == fence[0] && line.ends_with(closing);
}

class MarkedText {
  public:
    explicit MarkedText(std::string_view text) : m_text(text) {}

    std::vector<Part> parts() {
        for (m_line = 0; m_line < m_text.size(); m_line = m_next) {
            const size_t end = std::min(m_text.find('\n', m_line), m_text.size());
            m_next = std::min(end + 1, m_text.size());
            readLine(m_text.substr(m_line, end - m_line));
        }
        finish(m_text.size());
        return std::move(m_parts);
    }

  private:
    void readLine(std::string_view line) {
        if (m_kind == PartKind::Thought) {
            if (line == kThinkEnd) close();
        } else if (m_kind == PartKind::ToolCall) {
            if (line == kToolCallEnd) close();
        } else if (!m_fence.empty()) {
            if (closesFence(line, m_fence)) m_fence = {};
        } else if (line == kThinkBegin) {
            finish(m_line);
            m_kind = PartKind::Thought;
            m_begin = m_next;
        } else if (line == kToolCallBegin) {
            // The line break in front of it is the mark's.
            finish(std::max(m_begin, m_line - (m_line > 0 ? 1 : 0)));
            m_kind = PartKind::ToolCall;
            m_begin = m_next;
        } else {
            m_fence = openingFence(line);
        }
    }

    /// The line that closes a thought or a call; the line break in front of it is the mark's, and one behind
    /// that of a thought.
    void close() {
        const bool thought = m_kind == PartKind::Thought;
        finish(std::max(m_begin, m_line - 1));
        if (thought && m_text.substr(m_next).starts_with('\n')) ++m_next;
        m_kind = PartKind::Text;
        m_begin = m_next;
    }

    void finish(size_t end) {
        if (end <= m_begin) return;
        // Texts around an empty thought are one.
        const bool begins = m_kind != PartKind::Text;
        append(m_parts, PartPiece{m_kind, std::string(m_text.substr(m_begin, end - m_begin)), "", begins});
        m_begin = end;
    }

    std::string_view m_text;
    std::vector<Part> m_parts;
    PartKind m_kind = PartKind::Text;
    size_t m_begin = 0;        ///< of the part that is being read
    size_t m_line = 0;         ///< of the line that is being read
    size_t m_next = 0;         ///< of the line behind it
    std::string_view m_fence;  ///< of the block of code that is open
};

}  // namespace

std::vector<Part> partsOfMarkedText(std::string_view text) {
    return MarkedText(text).parts();
}

}  // namespace ingle::history
