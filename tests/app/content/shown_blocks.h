/// Blocks as text that a test can compare and a person can read.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/content/block_kind.h"
#include "app/content/block_stream.h"
#include "app/content/exporter.h"

namespace ingle::content {

inline const BlockKind* kindNamed(std::string_view name) {
    const auto kinds = allBlockKinds();
    return *std::find_if(kinds.begin(), kinds.end(),
                         [&](const BlockKind* kind) { return kind->name == name; });
}

inline std::string plainText(std::span<const Block> blocks, TextPosition from, TextPosition to) {
    return (*findExporter(""))(blocks, from, to);
}

inline std::string markdown(std::span<const Block> blocks, TextPosition from, TextPosition to) {
    return (*findExporter("Markdown"))(blocks, from, to);
}

inline std::string shownText(const RichText& rich) {
    std::string out;
    for (size_t at = 0; at <= rich.text.size(); ++at) {
        for (size_t span = rich.spans.size(); span-- > 0;)
            if (rich.spans[span].end == at && rich.spans[span].begin < at) out += ")";
        for (const Span& span : rich.spans) {
            if (span.begin != at) continue;
            out += std::string(1, "SEKCFLI"[static_cast<size_t>(span.kind)]) + "(";
            if (span.kind == SpanKind::Link || span.kind == SpanKind::Image)
                out += rich.targets[span.target] + ":";
            if (span.end == at) out += ")";
        }
        if (at < rich.text.size()) out += rich.text[at];
    }
    return out;
}

/// "- 1. paragraph: text": containers of which marks are shown, then the kind, then what it says.
inline std::string shownBlock(const Block& block) {
    std::string out;
    for (size_t depth = 0; depth < block.containers.size(); ++depth) {
        const Container& container = block.containers[depth];
        std::string mark = container.kind == ContainerKind::Quote ? ">"
                           : container.kind == ContainerKind::Bullet
                               ? std::string(1, container.mark)
                               : std::to_string(container.number) + container.mark;
        if (container.task != TaskState::None) mark += container.task == TaskState::Done ? "[x]" : "[ ]";
        out += depth + block.opened >= block.containers.size() ? mark + " " : "(" + mark + ") ";
    }
    out += std::string(block.kind->name);
    if (block.level > 0) out += " " + std::to_string(block.level);
    if (!block.label.empty()) out += " [" + block.label + "]";
    if (block.seam != Seam::None) out += " +";
    out += ": " + shownText(block.text);
    for (const auto& row : block.rows) {
        out += "|";
        for (const RichText& cell : row) out += shownText(cell) + "|";
    }
    return out;
}

inline std::vector<std::string> shown(const std::vector<Block>& blocks) {
    std::vector<std::string> out;
    for (const Block& block : blocks) out.push_back(shownBlock(block));
    return out;
}

inline std::vector<Block> blocksOf(std::string_view text) {
    const Part part{PartKind::Text, std::string(text), {}};
    return blocksOf(std::span(&part, 1));
}

inline std::vector<std::string> shown(std::string_view text) {
    return shown(blocksOf(text));
}

/// What a reader sees while no more than `text` has come.
inline std::vector<std::string> shownGrowing(std::string_view text) {
    BlockStream stream;
    stream.append(text);
    return shown(stream.blocks());
}

}  // namespace ingle::content
