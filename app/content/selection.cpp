#include "app/content/selection.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "app/content/block_kind.h"
#include "app/content/formulas.h"
#include "app/content/rich_text.h"

namespace ingle::content {
namespace {

constexpr size_t kEnd = std::numeric_limits<size_t>::max();

std::string_view seamText(Seam seam) {
    return seam == Seam::Line ? "\n" : seam == Seam::Space ? " " : "";
}

/// `shift`: where the text begins in that of its block.
void addLinks(const RichText& text, size_t shift, std::vector<Link>& links) {
    for (const Span& span : text.spans) {
        if ((span.kind == SpanKind::Link || span.kind == SpanKind::Image) && span.begin < span.end)
            links.push_back({shift + span.begin, shift + span.end, text.targets[span.target]});
    }
}

void addFormulas(const RichText& text, size_t shift, std::vector<TextPart>& formulas) {
    for (const Span& span : text.spans) {
        if (span.kind == SpanKind::Formula) formulas.push_back({shift + span.begin, shift + span.end});
    }
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

}  // namespace

std::string plainText(const Block& block) {
    return block.kind->plain != nullptr ? block.kind->plain(block) : block.text.text;
}

std::vector<Link> linksOf(const Block& block) {
    std::vector<Link> links;
    addLinks(block.text, 0, links);
    size_t begin = 0;
    for (const auto& row : block.rows) {
        for (const RichText& cell : row) {
            addLinks(cell, begin, links);
            begin += cell.text.size() + 1;  // a tab, or the end of the line
        }
    }
    return links;
}

std::vector<TextPart> formulasOf(const Block& block) {
    std::vector<TextPart> formulas;
    if (block.kind->name == "formula") {
        const size_t end = endOfFormula(block.text.text).value_or(0);
        if (end > 0) formulas.push_back({0, end});
    }
    addFormulas(block.text, 0, formulas);
    size_t begin = 0;
    for (const auto& row : block.rows) {
        for (const RichText& cell : row) {
            addFormulas(cell, begin, formulas);
            begin += cell.text.size() + 1;  // a tab, or the end of the line
        }
    }
    return formulas;
}

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
    // Where a selection begins inside an item, its mark is not selected.
    if (from.offset > 0 && !out.empty()) out.front().opened = 0;
    return out;
}

}  // namespace ingle::content
