/// What a selection copies.
#pragma once

#include <span>
#include <string>

#include "app/content/block.h"

namespace ingle::content {

/// A place between two characters of the plain text of a block.
struct TextPosition {
    size_t block = 0;
    size_t offset = 0;  ///< bytes; beyond the end means the end

    auto operator<=>(const TextPosition&) const = default;
};

/// All that a block says, without markup: what a selection counts its offsets in. Cells are parted by tabs.
std::string plainText(const Block& block);

/// The text between two places, `from` <= `to`, with the marks of list items; what was one block stays one.
std::string plainText(std::span<const Block> blocks, TextPosition from, TextPosition to);

/// The same as Markdown, which reads as these blocks again. Of a table whole rows are taken.
std::string markdown(std::span<const Block> blocks, TextPosition from, TextPosition to);

}  // namespace ingle::content
