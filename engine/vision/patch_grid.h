/// The patches of a picture: their order in a tower, their pixels, their positions, and how their rows are
/// joined.
#pragma once

#include <span>
#include <vector>

#include "engine/backend/op.h"
#include "engine/vision/tower.h"

namespace ingle::vision {

/// Numbers of patches count line by line; `order` says which patch a row of the tower is.
struct PatchGrid {
    Size size;
    std::vector<uint32_t> order;
    std::vector<uint32_t> runs;  ///< rows of each window, in this order

    uint32_t numPatches() const { return static_cast<uint32_t>(size.area()); }
    uint32_t columnOf(uint32_t patch) const { return patch % size.width; }
    uint32_t lineOf(uint32_t patch) const { return patch / size.width; }
};

/// Squares of side × side patches, line by line, and so the patches within each; those at the edges are
/// smaller. 0: one of all patches.
PatchGrid gridOf(Size size, uint32_t side);

/// Numbers that pixels become, a row for each patch: red, green, blue, in each the lines of the patch.
std::vector<float> patchRows(const TowerSpec& spec, const Picture& picture, const PatchGrid& grid);

/// What is added to the row of each patch, by its number: [patches, dim]; empty: nothing. Errors: Corrupt for
/// a table that does not fit; InvalidArgument for a picture that has more lines or columns than it.
Result<std::vector<float>> positionRows(const TowerSpec& spec, const tensor::Tensor& table, Size grid);

/// For rope, a row of each patch, and of the class token where there is one.
std::vector<backend::Coordinates> coordinatesOf(const TowerSpec& spec, const PatchGrid& grid);

/// Cells of a grid, those at the edges too.
inline Size cellsOf(Size grid, uint32_t side) {
    return {(grid.width + side - 1) / side, (grid.height + side - 1) / side};
}
/// Rows of patches, in the grid's order, to those of cells, line by line or column by column. What is missing
/// of a cell is 0.
std::vector<float> joinedRows(const TowerSpec& spec, std::span<const float> rows, uint32_t width,
                              const PatchGrid& grid);

/// Sines and cosines of the places of patches, [patches, width]: of the column, then of the line. Source: He
/// et al., "Masked Autoencoders Are Scalable Vision Learners" (2021), their code.
std::vector<float> sineRows(const PatchGrid& grid, uint32_t width);

}  // namespace ingle::vision
