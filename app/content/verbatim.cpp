#include "app/content/verbatim.h"

#include <algorithm>

namespace ingle::content {

bool takeVerbatim(Leaf& leaf, const Line& line) {
    leaf.addLine(line.withoutIndent(0));
    return true;
}

bool buildVerbatim(const Leaf& leaf, const Context&, Block& block) {
    block.label = leaf.label;
    block.text.text = leaf.text;
    return leaf.seam == Seam::None || !leaf.text.empty();
}

std::string quotedMarkdown(const Block& block, const std::string& head) {
    std::string out = head.empty() ? "> " : "> **" + head + "**\n>\n> ";
    for (const char c : block.text.text) {
        out.push_back(c);
        if (c == '\n') out.append("> ");
    }
    return out;
}

std::string fencedMarkdown(const std::string& text, const std::string& label) {
    size_t longest = 2;
    for (size_t at = text.find('`'); at != std::string::npos; at = text.find('`', at)) {
        const size_t end = std::min(text.find_first_not_of('`', at), text.size());
        longest = std::max(longest, end - at);
        at = end;
    }
    const std::string fence(longest + 1, '`');
    return fence + label + "\n" + text + (text.empty() ? "" : "\n") + fence;
}

}  // namespace ingle::content
