/// A message is a list of parts. Engine, history, protocol, prompts and window exchange messages in this
/// form, so that no text needs markers for what belongs to another kind.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ingle {

enum class PartKind {
    Text,        ///< Markdown, as the person or the model wrote it
    Thought,     ///< what the model thinks before it answers; `data`: how long it took in ms (empty: unknown)
    ToolCall,    ///< `data`: name of the tool; `text`: a JSON object of its "name" and "arguments"
    ToolResult,  ///< `data`: name of the tool, where it is known; `text`: its result
    Attachment,  ///< `data`: name of the file; `text`: the text that was read from it
    Image,       ///< `data`: name of the picture (PictureFacts::hash); `text`: a description of it
    Source,      ///< `data`: address or file; `text`: the passage that was used
};

struct Part {
    PartKind kind = PartKind::Text;
    std::string text;  ///< UTF-8
    std::string data;  ///< depends on the kind, see PartKind
    /// Of a ToolCall, and of the ToolResult that answers it: what links the two. Empty: their order does.
    std::string id = {};

    bool operator==(const Part&) const = default;
};

/// What is added to a growing message: to its last part, or as a new one. It holds no index, so that it also
/// continues a message whose parts come from an earlier run.
struct PartPiece {
    PartKind kind = PartKind::Text;
    std::string text;     ///< UTF-8, whole characters
    std::string data;     ///< replaces the part's data unless it is empty
    bool begins = false;  ///< begins a new part, as a piece of another kind than the last part always does
    std::string id = {};  ///< replaces the part's id unless it is empty

    bool operator==(const PartPiece&) const = default;
};

/// Returns whether `piece` begins a new part behind `last` (null: there is none).
inline bool beginsPart(const Part* last, const PartPiece& piece) {
    return piece.begins || last == nullptr || last->kind != piece.kind;
}

/// Adds `piece` to the parts of a message.
inline void append(std::vector<Part>& parts, const PartPiece& piece) {
    if (beginsPart(parts.empty() ? nullptr : &parts.back(), piece)) {
        parts.push_back({piece.kind, piece.text, piece.data, piece.id});
    } else {
        parts.back().text += piece.text;
        if (!piece.data.empty()) parts.back().data = piece.data;
        if (!piece.id.empty()) parts.back().id = piece.id;
    }
}

/// Adds `piece` to a list of pieces, and merges it with the last one if it continues the same part.
inline void append(std::vector<PartPiece>& pieces, const PartPiece& piece) {
    const bool goesOn = !pieces.empty() && !piece.begins && pieces.back().kind == piece.kind;
    if (goesOn) {
        pieces.back().text += piece.text;
        if (!piece.data.empty()) pieces.back().data = piece.data;
        if (!piece.id.empty()) pieces.back().id = piece.id;
    } else {
        pieces.push_back(piece);
    }
}

/// Returns the texts of all parts of one kind, joined.
inline std::string textOf(std::span<const Part> parts, PartKind kind) {
    std::string text;
    for (const Part& part : parts) {
        if (part.kind == kind) text += part.text;
    }
    return text;
}

}  // namespace ingle
