/// What is selected between two places.
#pragma once

#include <span>
#include <string>
#include <vector>

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

/// What stands for an address in the plain text of a block: its bytes from `begin` to `end`.
struct Link {
    size_t begin = 0;
    size_t end = 0;
    std::string target;
};
/// Links and images of a block that have a text.
std::vector<Link> linksOf(const Block& block);

/// Formulas of a block, as ranges of bytes of its plain text: what is selected as a whole.
struct TextPart {
    size_t begin = 0;
    size_t end = 0;
};
std::vector<TextPart> formulasOf(const Block& block);

/// The blocks between two places, `from` <= `to`, clipped; pieces of one that was cut are one again. Of a
/// table whole rows are taken.
std::vector<Block> selected(std::span<const Block> blocks, TextPosition from, TextPosition to);

}  // namespace ingle::content
