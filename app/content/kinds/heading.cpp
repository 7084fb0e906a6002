/// `# Heading`, and a paragraph with a line of `=` or `-` below it. Source: CommonMark 0.30, sections 4.2
/// and 4.3.
#include <algorithm>

#include "app/content/block_kind.h"
#include "app/content/leaf_parser.h"
#include "app/content/rich_text.h"

namespace ingle::content::heading_kind {
namespace {

constexpr size_t kMaxLevel = 6;

bool beginsWithMarks(std::string_view line) {
    const size_t marks = std::min(line.find_first_not_of('#'), line.size());
    return marks > 0 && marks <= kMaxLevel &&
           (marks == line.size() || line[marks] == ' ' || line[marks] == '\t');
}

/// The level that a line below a paragraph makes it a heading of, or 0.
int underlineLevel(std::string_view line) {
    const size_t marks = std::min(line.find_first_not_of(line[0]), line.size());
    if (line.find_first_not_of(" \t", marks) != std::string_view::npos) return 0;
    return line[0] == '=' ? 1 : line[0] == '-' ? 2 : 0;
}

}  // namespace

extern const BlockKind kind = {
    .name = "heading",
    .order = 10,
    .begins =
        [](const Line& line, const Leaf* paragraph, Leaf& leaf) {
            if (line.indented()) return Begins::No;
            if (beginsWithMarks(line.content())) {
                leaf.addLine(line.content());
                return Begins::Here;
            }
            leaf.level = paragraph != nullptr ? underlineLevel(line.content()) : 0;
            if (leaf.level == 0) return Begins::No;
            leaf.text = paragraph->text;
            // Definitions have no text that a line could be below.
            if (leaf.text.starts_with('[') && parseParagraph(leaf.text, Seam::None, {}).text.empty())
                return Begins::No;
            return Begins::WithParagraph;
        },
    .build =
        [](const Leaf& leaf, const Context& context, Block& block) {
            block.level = leaf.level;
            block.text = leaf.level > 0
                             ? parseParagraph(leaf.text, leaf.seam, context.definitions)
                             : parseHeading(leaf.shown(context.stage), context.definitions, block.level);
            return true;
        },
    .markdown =
        [](const Block& block) {
            std::string text = inlineMarkdown(block.text);
            std::replace(text.begin(), text.end(), '\n', ' ');
            return std::string(static_cast<size_t>(block.level), '#').append(" ").append(text);
        },
};

}  // namespace ingle::content::heading_kind
