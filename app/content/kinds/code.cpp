/// Code between fences, and lines indented by four columns. Source: CommonMark 0.30, sections 4.4 and 4.5.
#include <algorithm>

#include "app/content/verbatim.h"

namespace ingle::content::code_kind {
namespace {

/// The run of backticks or tildes that a block of code begins with, or an empty text.
std::string_view openingFence(std::string_view line) {
    if (line[0] != '`' && line[0] != '~') return {};
    const size_t length = std::min(line.find_first_not_of(line[0]), line.size());
    // ```a`b``` on one line is a code span.
    if (length < 3 || (line[0] == '`' && line.find('`', length) != std::string_view::npos)) return {};
    return line.substr(0, length);
}

bool isClosingFence(const Line& line, const Leaf& leaf) {
    // A fence that stands far to the right is closed by one that does as well.
    if (line.blank() || line.indent() >= leaf.indent + kCodeIndent) return false;
    const size_t length = std::min(line.content().find_first_not_of(leaf.mark[0]), line.content().size());
    return length >= leaf.mark.size() &&
           line.content().find_first_not_of(" \t", length) == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
    const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

Begins begins(const Line& line, const Leaf* paragraph, Leaf& leaf) {
    // Below a paragraph a fence may stand as far to the right as it likes: nothing else is meant by one.
    if (!line.indented() || paragraph != nullptr) {
        leaf.mark = openingFence(line.content());
        if (leaf.mark.empty()) return Begins::No;
        leaf.indent = line.indent();
        leaf.label = trimmed(line.content().substr(leaf.mark.size()));
        return Begins::Here;
    }
    leaf.addLine(line.withoutIndent(kCodeIndent));
    return Begins::Here;
}

bool takes(Leaf& leaf, const Line& line) {
    if (leaf.mark.empty()) {
        if (!line.blank() && !line.indented()) return false;
        leaf.addLine(line.withoutIndent(kCodeIndent));
    } else if (isClosingFence(line, leaf)) {
        leaf.ended = true;
    } else {
        leaf.addLine(line.withoutIndent(leaf.indent));
    }
    return true;
}

/// Where the last line that is not empty ends.
size_t endOfText(std::string_view text) {
    const size_t last = text.find_last_not_of(" \t\n");
    return last == std::string_view::npos ? 0 : std::min(text.find('\n', last), text.size());
}

bool build(const Leaf& leaf, const Context&, Block& block) {
    block.label = leaf.label;
    block.text.text = leaf.text;
    // Empty lines behind indented code do not belong to it.
    if (leaf.mark.empty()) block.text.text.erase(endOfText(leaf.text));
    return leaf.seam == Seam::None || !block.text.text.empty();
}

/// Not behind an empty line: whether that belongs to indented code depends on what follows.
Cut cut(const Leaf& leaf) {
    const size_t end = endOfText(leaf.text);
    return Cut{end, std::min(end + 1, leaf.text.size()), Seam::Line};
}

}  // namespace

extern const BlockKind kind = {
    .name = "code",
    .order = 30,
    .hold = Hold::Firm,
    .maxLines = 32,  // whoever shows a piece lays out all of it anew when it grows
    .begins = begins,
    .takes = takes,
    .build = build,
    .cut = cut,
    .markdown = [](const Block& block) { return fencedMarkdown(block.text.text, block.label); },
};

}  // namespace ingle::content::code_kind
