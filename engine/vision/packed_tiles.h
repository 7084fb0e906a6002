/// Tiles of a picture whose rows become lines of the whole. Source: Liu et al., "LLaVA-NeXT" (2024);
/// transformers, modeling_llava_next.py (pack_image_features, unpad_image).
#pragma once

#include <span>
#include <vector>

#include "engine/vision/resize.h"

namespace ingle::vision {

/// Which cells of all tiles together show the picture: its proportions were kept, and what is beside it is
/// padding.
struct PackedTiles {
    Size tiles;     ///< of the picture
    Size cells;     ///< of a tile
    uint32_t left;  ///< the first cell that shows it, in cells of all tiles
    uint32_t top;
    Size shown;

    /// With a row at the end of each line.
    uint32_t numRows() const { return (shown.width + 1) * shown.height; }
};
PackedTiles packedTiles(Size picture, Size tiles, Size cells);

/// The rows of all tiles, one tile behind the other, as those lines; `lineEnd` ends each.
std::vector<float> packedRows(std::span<const float> rows, const PackedTiles& packed,
                              std::span<const float> lineEnd);

}  // namespace ingle::vision
