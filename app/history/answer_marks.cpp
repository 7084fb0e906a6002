#include "app/history/answer_marks.h"

#include <utility>

namespace ingle::history {
namespace {

struct Marks {
    PartKind kind;
    std::string_view begin, end;
};
constexpr Marks kMarks[] = {{PartKind::Thought, "<think>\n", "\n</think>\n\n"},
                            {PartKind::ToolCall, "\n```tool_call\n", "\n```\n"}};

const Marks* marksOf(PartKind kind) {
    for (const Marks& marks : kMarks)
        if (marks.kind == kind) return &marks;
    return nullptr;
}

bool isOpen(std::string_view text, const Marks& marks) {
    const size_t last = text.rfind(marks.begin);
    return last != text.npos && text.find(marks.end, last + marks.begin.size()) == text.npos;
}

}  // namespace

MarkedText::MarkedText(std::string_view written) {
    for (const Marks& marks : kMarks)
        if (isOpen(written, marks)) m_kind = marks.kind;
}

std::string MarkedText::add(const PartPiece& piece) {
    if (piece.text.empty()) return {};
    std::string out;
    if (piece.kind != m_kind) {
        out = finish();
        if (const Marks* marks = marksOf(piece.kind)) out += marks->begin;
        m_kind = piece.kind;
    }
    return out += piece.text;
}

std::string MarkedText::finish() {
    const Marks* marks = marksOf(std::exchange(m_kind, PartKind::Text));
    return marks ? std::string(marks->end) : std::string();
}

std::vector<Part> partsOf(std::string_view marked) {
    std::vector<Part> parts;
    const auto add = [&](PartKind kind, std::string_view text) {
        if (!text.empty()) parts.push_back({kind, std::string(text), {}});
    };
    while (!marked.empty()) {
        const Marks* next = nullptr;
        size_t at = marked.npos;
        for (const Marks& marks : kMarks) {
            const size_t found = marked.find(marks.begin);
            if (found < at) at = found, next = &marks;
        }
        add(PartKind::Text, marked.substr(0, at));
        if (!next) break;
        marked.remove_prefix(at + next->begin.size());
        const size_t end = marked.find(next->end);
        add(next->kind, marked.substr(0, end));
        marked.remove_prefix(end == marked.npos ? marked.size() : end + next->end.size());
    }
    return parts;
}

}  // namespace ingle::history
