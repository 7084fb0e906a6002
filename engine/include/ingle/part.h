/// A message is a list of parts: what engine, history, protocol, prompt and view hand to each other. No marks
/// in text.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ingle {

enum class PartKind {
    Text,        ///< Markdown, as the person or the model wrote it
    Thought,     ///< what the model thinks before it answers; `data`: how long, in ms (empty: nobody knows)
    ToolCall,    ///< `data`: which tool; `text`: the call in the model's own form
    ToolResult,  ///< `data`: which tool; `text`: what it said
    Attachment,  ///< `data`: name of the file; `text`: what was read from it
    Image,       ///< `data`: where the picture is kept; `text`: what it shows
    Source,      ///< `data`: address or file; `text`: the passage that was used
};

struct Part {
    PartKind kind = PartKind::Text;
    std::string text;  ///< UTF-8
    std::string data;  ///< belongs to the kind; see there

    bool operator==(const Part&) const = default;
};

/// What is added to a message that grows: to its last part, or as a new one. It names no place, so that it
/// goes on rightly behind parts that another run has written.
struct PartPiece {
    PartKind kind = PartKind::Text;
    std::string text;     ///< UTF-8, whole characters
    std::string data;     ///< of a new part; of one that goes on what is known of it now, or empty
    bool begins = false;  ///< a new part; so it is anyway behind a part of another kind, and behind none

    bool operator==(const PartPiece&) const = default;
};

/// Whether `piece` begins a new part behind `last` (null: there is none).
inline bool beginsPart(const Part* last, const PartPiece& piece) {
    return piece.begins || last == nullptr || last->kind != piece.kind;
}

inline void append(std::vector<Part>& parts, const PartPiece& piece) {
    if (beginsPart(parts.empty() ? nullptr : &parts.back(), piece)) {
        parts.push_back({piece.kind, piece.text, piece.data});
    } else {
        parts.back().text += piece.text;
        if (!piece.data.empty()) parts.back().data = piece.data;
    }
}

/// Adds `piece` to pieces that are still to be handed over: to the last one, where it goes on with it.
inline void append(std::vector<PartPiece>& pieces, const PartPiece& piece) {
    const bool goesOn = !pieces.empty() && !piece.begins && pieces.back().kind == piece.kind;
    if (goesOn) {
        pieces.back().text += piece.text;
        if (!piece.data.empty()) pieces.back().data = piece.data;
    } else {
        pieces.push_back(piece);
    }
}

/// All that was said in parts of one kind, one behind the other.
inline std::string textOf(std::span<const Part> parts, PartKind kind) {
    std::string text;
    for (const Part& part : parts) {
        if (part.kind == kind) text += part.text;
    }
    return text;
}

}  // namespace ingle
