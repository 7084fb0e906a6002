/// A formula on lines of its own: `$$ … $$`, `\[ … \]` or `\begin{align} … \end{align}`. It goes across
/// lines, and ends at the latest where an empty line stands; without its closing mark it was text.
#include "app/content/formulas.h"

#include "app/content/block_kind.h"

namespace ingle::content::formula_kind {
namespace {

/// Whether nothing follows the closing mark but what ends the sentence.
bool onlyFullStop(std::string_view rest) {
    if (!rest.empty() && std::string_view(".,;:").find(rest[0]) != std::string_view::npos)
        rest.remove_prefix(1);
    return rest.find_first_not_of(" \t") == std::string_view::npos;
}

Begins begins(const Line& line, const Leaf* paragraph, Leaf& leaf) {
    if (line.indented()) return Begins::No;
    const std::string_view text = line.content();
    if (leaf.mark = environmentEnd(text); !leaf.mark.empty()) {
        leaf.addLine(text);
        leaf.ended = text.find(leaf.mark) != text.npos;
        return Begins::Here;
    }
    leaf.mark = closingMark(text);
    if (leaf.mark != "$$" && leaf.mark != "\\]") return Begins::No;
    if (const size_t close = text.find(leaf.mark, 2); close != std::string_view::npos) {
        if (FormulaFinder(text).endOf(0) != close + 2 || !onlyFullStop(text.substr(close + 2)))
            return Begins::No;
        leaf.ended = true;
    } else if (paragraph != nullptr && !onlyFullStop(text.substr(2))) {
        // In the middle of a text only a mark on a line of its own is sure to be one.
        return Begins::No;
    }
    leaf.addLine(text);
    return Begins::Here;
}

bool takes(Leaf& leaf, const Line& line) {
    if (line.blank()) return false;
    leaf.addLine(line.content());
    leaf.ended = line.content().find(leaf.mark) != std::string_view::npos;
    return true;
}

bool build(const Leaf& leaf, const Context& context, Block& block) {
    const std::optional<size_t> end = endOfFormula(leaf.text);
    const bool formula = end && onlyFullStop(std::string_view(leaf.text).substr(*end));
    if (!formula && (leaf.ended || context.stage == Stage::Finished)) {
        block.kind = markdownKinds().back();
        return block.kind->build(leaf, context, block);
    }
    block.text.text = leaf.text;
    return true;
}

}  // namespace

extern const BlockKind kind = {
    .name = "formula",
    .order = 40,
    .hold = Hold::Firm,
    .begins = begins,
    .takes = takes,
    .build = build,
    .markdown = [](const Block& block) { return block.text.text; },
};

}  // namespace ingle::content::formula_kind
