/// What is nothing else. A paragraph without text is a list item without any.
#include "app/content/block_kind.h"
#include "app/content/leaf_parser.h"
#include "app/content/rich_text.h"
#include "app/content/unfinished.h"

namespace ingle::content::paragraph_kind {

extern const BlockKind kind = {
    .name = "paragraph",
    .order = 1000,
    .begins =
        [](const Line& line, const Leaf*, Leaf& leaf) {
            leaf.addLine(line.content());
            return Begins::Here;
        },
    .takes =
        [](Leaf& leaf, const Line& line) {
            leaf.addLine(line.content());
            return true;
        },
    .build =
        [](const Leaf& leaf, const Context& context, Block& block) {
            block.text = parseParagraph(leaf.shown(context.stage), leaf.seam, context.definitions);
            return !block.text.text.empty() || !block.text.spans.empty();
        },
    .cut =
        [](const Leaf& leaf) {
            const size_t at = cutPosition(leaf.text);
            const char last = leaf.text[at - 1];
            if (at == leaf.text.size() || (last != ' ' && last != '\n')) return Cut{at, at, Seam::Glued};
            return Cut{at - 1, at, last == '\n' ? Seam::Line : Seam::Space};
        },
    .markdown = [](const Block& block) { return inlineMarkdown(block.text); },
};

}  // namespace ingle::content::paragraph_kind
