/// An answer as one text with marks between its parts: what the history keeps until it keeps parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingle/part.h"

namespace ingle::history {

/// Writes pieces of different kinds one after another. One thread.
class MarkedText {
  public:
    /// `written` is what there is of the answer already.
    explicit MarkedText(std::string_view written = {});

    /// The text to append for a piece.
    std::string add(const PartPiece& piece);
    /// What closes a piece that is open at the end of the answer.
    std::string finish();

  private:
    PartKind m_kind = PartKind::Text;
};

/// The parts of an answer that was written that way.
std::vector<Part> partsOf(std::string_view marked);

}  // namespace ingle::history
