/// What a stream brings, in short forms.
#pragma once

#include <string>
#include <vector>

#include "ingle/types.h"

namespace ingle::test {

inline TokenChunk chunkOf(std::vector<TokenId> ids, std::string text, PartKind kind = PartKind::Text) {
    return {std::move(ids), {{kind, std::move(text), {}}}};
}

/// The text of all pieces, whatever they are.
inline std::string allText(const std::vector<PartPiece>& pieces) {
    std::string text;
    for (const PartPiece& piece : pieces) text += piece.text;
    return text;
}

}  // namespace ingle::test
