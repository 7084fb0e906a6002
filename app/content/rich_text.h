/// Pieces of rich text, and how they are written as Markdown.
#pragma once

#include <string>

#include "app/content/block.h"

namespace ingle::content {

/// The text from `begin` to `end` (bytes) with the spans there.
RichText clipped(const RichText& text, size_t begin, size_t end);
void appendTo(RichText& text, const RichText& more);

/// Markdown that reads as this text again; only what needs it is escaped.
std::string inlineMarkdown(const RichText& text);
/// The same for a cell of a table.
std::string cellMarkdown(const RichText& text);

}  // namespace ingle::content
