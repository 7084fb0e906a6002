/// An answer on a terminal or in a file: what the model thinks and the tools it calls, told apart by marks.
/// Nothing reads these marks again.
#pragma once

#include <string>
#include <string_view>

#include "ingle/part.h"

namespace ingle::cli {

/// Writes pieces one after another. One thread.
class PrintedParts {
  public:
    /// What to print for a piece.
    std::string add(const PartPiece& piece) {
        std::string out;
        if (piece.text.empty()) return out;
        if (piece.kind != m_kind) {
            (out += marks(m_kind).end) += marks(piece.kind).begin;
            m_kind = piece.kind;
        }
        return out += piece.text;
    }

    /// What closes a piece that is open at the end of the answer.
    std::string finish() const { return std::string(marks(m_kind).end); }

  private:
    struct Marks {
        std::string_view begin, end;
    };
    static Marks marks(PartKind kind) {
        if (kind == PartKind::Thought) return {"<think>\n", "\n</think>\n\n"};
        if (kind == PartKind::ToolCall) return {"\n```tool_call\n", "\n```\n"};
        return {};
    }

    PartKind m_kind = PartKind::Text;
};

}  // namespace ingle::cli
