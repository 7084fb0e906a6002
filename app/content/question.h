/// What a person wrote, as blocks that are shown as they are.
#pragma once

#include <span>
#include <vector>

#include "app/content/block.h"
#include "ingle/part.h"

namespace ingle::content {

/// Of texts pieces of at most kMaxBlockBytes, cut at line ends or words (Block::seam); of pictures one block
/// for those that follow each other; of other parts what blocksOf() makes of them. An empty message has one
/// empty block.
std::vector<Block> questionBlocks(std::span<const Part> parts);

}  // namespace ingle::content
