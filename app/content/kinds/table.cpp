/// A table: a line of cells, a line that names the columns' alignments, and then a row a line. Source: GitHub
/// Flavored Markdown, section 4.10; as in md4c, the head may have fewer or more cells than there are columns
/// where no other text stands right above it.
#include <algorithm>

#include "app/content/block_kind.h"
#include "app/content/leaf_parser.h"
#include "app/content/rich_text.h"
#include "app/content/unfinished.h"

namespace ingle::content::table_kind {
namespace {

Begins begins(const Line& line, const Leaf* paragraph, Leaf& leaf) {
    if (paragraph == nullptr || line.indented()) return Begins::No;
    const size_t begin = paragraph->text.rfind('\n') + 1;
    const std::string_view head = std::string_view(paragraph->text).substr(begin);
    if ((begin == 0 && paragraph->seam != Seam::None) || head.find('|') == head.npos) return Begins::No;
    leaf.columns = tableColumns(line.content());
    if (leaf.columns.empty()) return Begins::No;
    // Below other text only a head that has its cells is sure to be one.
    if (begin > 0 && cellsIn(head) != leaf.columns.size()) return Begins::No;
    leaf.text = head;
    leaf.lines = 1;
    return Begins::WithParagraph;
}

bool build(const Leaf& leaf, const Context& context, Block& block) {
    std::string text = leaf.text;
    if (context.stage == Stage::Growing) {
        const size_t last = text.rfind('\n') + 1;
        text = text.substr(0, last) + closed(std::string_view(text).substr(last));
    }
    block.columns = leaf.columns;
    block.rows = parseRows(text, leaf.columns.size(), context.definitions);
    return !block.rows.empty();
}

std::string row(const std::vector<RichText>& cells, size_t columns) {
    std::string out = "|";
    for (size_t column = 0; column < columns; ++column)
        out.append(" ")
            .append(column < cells.size() ? cellMarkdown(cells[column]) : std::string())
            .append(" |");
    return out;
}

std::string markdown(const Block& block) {
    std::string out;
    for (size_t number = 0; number < block.rows.size(); ++number) {
        if (number > 0) out.push_back('\n');
        out.append(row(block.rows[number], block.columns.size()));
        if (number > 0) continue;
        out.append("\n|");
        for (const Alignment alignment : block.columns)
            out.append(alignment == Alignment::Centre  ? " :---: |"
                       : alignment == Alignment::Right ? " ---: |"
                       : alignment == Alignment::Left  ? " :--- |"
                                                       : " --- |");
    }
    return out;
}

std::string plain(const Block& block) {
    std::string out;
    for (size_t number = 0; number < block.rows.size(); ++number) {
        if (number > 0) out.push_back('\n');
        for (size_t column = 0; column < block.rows[number].size(); ++column) {
            if (column > 0) out.push_back('\t');
            out.append(block.rows[number][column].text);
        }
    }
    return out;
}

}  // namespace

extern const BlockKind kind = {
    .name = "table",
    .order = 50,
    .maxLines = 24,  // whoever shows a table lays out all its cells anew when one changes
    .begins = begins,
    .takes =
        [](Leaf& leaf, const Line& line) {
            leaf.addLine(line.content());
            return true;
        },
    .build = build,
    .markdown = markdown,
    .plain = plain,
};

}  // namespace ingle::content::table_kind
