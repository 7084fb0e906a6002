#include "app/content/selection.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "app/content/block_kind.h"
#include "app/content/rich_text.h"

namespace ingle::content {
namespace {

constexpr size_t kEnd = std::numeric_limits<size_t>::max();

std::string_view seamText(Seam seam) {
    return seam == Seam::Line ? "\n" : seam == Seam::Space ? " " : "";
}

Block clippedRows(const Block& block, size_t from, size_t to) {
    Block out = block;
    out.rows.clear();
    size_t begin = 0;
    for (const auto& row : block.rows) {
        Block one = block;
        one.rows = {row};
        const size_t end = begin + plainText(one).size();
        if (end >= from && (begin < to || begin == end)) out.rows.push_back(row);
        begin = end + 1;
    }
    return out;
}

/// The blocks between two places, clipped; pieces of one that was cut are one again.
std::vector<Block> selected(std::span<const Block> blocks, TextPosition from, TextPosition to) {
    std::vector<Block> out;
    for (size_t number = from.block; number <= to.block && number < blocks.size(); ++number) {
        Block block = blocks[number];
        const size_t size = plainText(block).size();
        const size_t begin = std::min(number == from.block ? from.offset : 0, size);
        const size_t end = std::min(number == to.block ? to.offset : kEnd, size);
        if (number == to.block && end == 0 && number != from.block && size > 0) break;
        if (!block.rows.empty())
            block = clippedRows(block, begin, end);
        else
            block.text = clipped(block.text, begin, std::max(begin, end));
        if (block.seam != Seam::None && !out.empty() && out.back().kind == block.kind) {
            Block& whole = out.back();
            std::ranges::move(block.rows, std::back_inserter(whole.rows));
            whole.text.text.append(seamText(block.seam));
            appendTo(whole.text, block.text);
        } else {
            out.push_back(std::move(block));
        }
    }
    return out;
}

std::string itemMark(const Container& container) {
    std::string mark = container.kind == ContainerKind::Number
                           ? std::to_string(container.number) + container.mark
                           : std::string(1, container.mark);
    return mark + " ";
}

std::string_view taskMark(TaskState task) {
    return task == TaskState::Open ? "[ ] " : task == TaskState::Done ? "[x] " : "";
}

enum class Style { Markdown, Plain };

/// What stands before the lines of a block: `first` before its first one, `others` before the rest.
struct Margin {
    std::string first;
    std::string others;
};

Margin marginOf(const Block& block, size_t opened, Style style) {
    Margin margin;
    for (size_t depth = 0; depth < block.containers.size(); ++depth) {
        const Container& container = block.containers[depth];
        if (container.kind == ContainerKind::Quote) {
            if (style == Style::Plain) continue;
            margin.first.append("> ");
            margin.others.append("> ");
            continue;
        }
        const std::string mark = itemMark(container);
        const bool begins = depth + opened >= block.containers.size();
        margin.first.append(begins ? mark : std::string(mark.size(), ' '));
        if (begins) margin.first.append(taskMark(container.task));
        margin.others.append(mark.size(), ' ');
    }
    return margin;
}

std::string withMargin(std::string_view text, const Margin& margin) {
    std::string out = margin.first;
    for (size_t at = 0; at < text.size(); ++at) {
        out.push_back(text[at]);
        // An empty line needs no white space before it.
        if (text[at] == '\n') out.append(margin.others);
    }
    return out;
}

void trimEnd(std::string& text) {
    text.erase(text.find_last_not_of(' ') + 1);
}

std::string written(std::span<const Block> blocks, TextPosition from, TextPosition to, Style style) {
    std::string out;
    const Block* above = nullptr;
    const std::vector<Block> all = selected(blocks, from, to);
    for (const Block& block : all) {
        // Where a selection begins inside an item, its mark is not selected.
        const size_t opened = above == nullptr && from.offset > 0 ? 0 : block.opened;
        if (above != nullptr) {
            const bool tight = !block.spaced && block.opened > 0 && !block.containers.empty() &&
                               block.containers.back().kind != ContainerKind::Quote;
            out.push_back('\n');
            if (!tight) {
                // Between two blocks of a quotation the empty line belongs to it.
                Block outer = block;
                outer.containers.resize(block.containers.size() - opened);
                std::string empty = marginOf(outer, 0, style).others;
                trimEnd(empty);
                out.append(empty).append("\n");
            }
        }
        const std::string text = style == Style::Plain ? plainText(block) : block.kind->markdown(block);
        std::string lines = withMargin(text, marginOf(block, opened, style));
        if (text.empty()) trimEnd(lines);
        out.append(lines);
        above = &block;
    }
    return out;
}

}  // namespace

std::string plainText(const Block& block) {
    return block.kind->plain != nullptr ? block.kind->plain(block) : block.text.text;
}

std::string plainText(std::span<const Block> blocks, TextPosition from, TextPosition to) {
    return written(blocks, from, to, Style::Plain);
}

std::string markdown(std::span<const Block> blocks, TextPosition from, TextPosition to) {
    return written(blocks, from, to, Style::Markdown);
}

}  // namespace ingle::content
