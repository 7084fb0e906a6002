#include "engine/vision/packed_tiles.h"

#include <algorithm>
#include <cmath>

namespace ingle::vision {
namespace {

/// How much of `length` a side takes that has been scaled, with a little for what rounding took away; an even
/// rest is padding.
uint32_t paddingOf(uint32_t length, double scaled) {
    constexpr double kDigits = 1e7;
    const auto shown = static_cast<uint32_t>(std::round(scaled * kDigits) / kDigits);
    return (length - std::min(shown, length)) / 2;
}

}  // namespace

PackedTiles packedTiles(Size picture, Size tiles, Size cells) {
    const Size all{tiles.width * cells.width, tiles.height * cells.height};
    PackedTiles packed{.tiles = tiles, .cells = cells, .left = 0, .top = 0, .shown = all};
    const double ratio = static_cast<double>(picture.width) / picture.height;
    if (ratio > static_cast<double>(all.width) / all.height) {
        const double scale = static_cast<double>(all.width) / picture.width;
        packed.top = paddingOf(all.height, picture.height * scale);
    } else {
        const double scale = static_cast<double>(all.height) / picture.height;
        packed.left = paddingOf(all.width, picture.width * scale);
    }
    packed.shown = {all.width - 2 * packed.left, all.height - 2 * packed.top};
    return packed;
}

std::vector<float> packedRows(std::span<const float> rows, const PackedTiles& packed,
                              std::span<const float> lineEnd) {
    const size_t width = lineEnd.size(), ofTile = packed.cells.area();
    std::vector<float> lines;
    lines.reserve(packed.numRows() * width);
    for (uint32_t y = packed.top; y < packed.top + packed.shown.height; ++y) {
        for (uint32_t x = packed.left; x < packed.left + packed.shown.width; ++x) {
            const size_t tile = size_t{y / packed.cells.height} * packed.tiles.width + x / packed.cells.width;
            const size_t cell = size_t{y % packed.cells.height} * packed.cells.width + x % packed.cells.width;
            const std::span<const float> row = rows.subspan((tile * ofTile + cell) * width, width);
            lines.insert(lines.end(), row.begin(), row.end());
        }
        lines.insert(lines.end(), lineEnd.begin(), lineEnd.end());
    }
    return lines;
}

}  // namespace ingle::vision
