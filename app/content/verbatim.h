/// What the kinds of parts that are not Markdown share: their text is shown as it is, in bounded pieces.
#pragma once

#include "app/content/block_kind.h"

namespace ingle::content {

bool takeVerbatim(Leaf& leaf, const Line& line);
/// A piece that goes on with another and has no text is not shown; the first one always is.
bool buildVerbatim(const Leaf& leaf, const Context& context, Block& block);
/// "> " before each line, with `head` in bold above it if there is one.
std::string quotedMarkdown(const Block& block, const std::string& head);

/// Between fences that are longer than any run of backticks in `text`.
std::string fencedMarkdown(const std::string& text, const std::string& label);

}  // namespace ingle::content
