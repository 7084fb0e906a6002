/// A line across the page: three or more `-`, `_` or `*`. Source: CommonMark 0.30, section 4.1.
#include <algorithm>

#include "app/content/block_kind.h"

namespace ingle::content::rule_kind {

extern const BlockKind kind = {
    .name = "rule",
    .order = 20,
    .begins =
        [](const Line& line, const Leaf*, Leaf&) {
            const std::string_view text = line.content();
            if (line.indented() || std::string_view("-_*").find(text[0]) == std::string_view::npos)
                return Begins::No;
            const bool only = std::all_of(text.begin(), text.end(),
                                          [&](char c) { return c == text[0] || c == ' ' || c == '\t'; });
            return only && std::count(text.begin(), text.end(), text[0]) >= 3 ? Begins::Here : Begins::No;
        },
    .build = [](const Leaf&, const Context&, Block&) { return true; },
    .markdown = [](const Block&) { return std::string("***"); },
};

}  // namespace ingle::content::rule_kind
