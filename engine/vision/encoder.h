/// A vision tower at work: pictures to rows for the text model.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/vision/packed_tiles.h"
#include "engine/vision/patch_grid.h"
#include "engine/vision/row_programs.h"
#include "engine/vision/tower.h"

namespace ingle::vision {

/// A picture that is cut and encoded.
EncodedPicture encodedPicture(PictureLayout layout, const CutPicture& cut, std::vector<float> rows);

/// One thread. Weights and backend outlive it.
class TowerEncoder {
  public:
    /// Errors: InvalidArgument, when graphs do not fit together (a mistake of the family).
    static Result<std::unique_ptr<TowerEncoder>> create(const TowerSpec& spec, const models::Weights& weights,
                                                        backend::Backend& backend);

    /// Cuts a picture as the tower reads it. Any thread. Errors: InvalidArgument.
    Result<CutPicture> cut(const Picture& picture) const;
    /// How such a picture stands in a prompt. Any thread. Errors: InvalidArgument.
    Result<PictureLayout> layoutOf(const CutPicture& cut) const;
    /// Is told from time to time how much is done, 0 to 1; true ends it.
    using Watch = std::function<bool(double fraction)>;
    /// Its rows, of all tiles. `watch` may be null. Errors: InvalidArgument, OutOfMemory, Device, Cancelled.
    Result<std::vector<float>> encode(const CutPicture& cut, const Watch& watch);
    /// All of it at once. Errors: of the three above.
    Result<EncodedPicture> encode(const Picture& picture);

  private:
    TowerEncoder(const TowerSpec& spec, const models::Weights& weights, backend::Backend& backend)
        : m_spec(spec), m_weights(weights), m_programs(backend) {}

    /// The grid of a tile's patches. Errors: InvalidArgument.
    Result<PatchGrid> patchesOf(Size tile) const;
    /// The grid of its rows.
    Size cellsOfTile(const PatchGrid& patches) const;
    /// Rows of one tile, [cells, outDim], and of a line's end where there are some.
    Result<std::vector<float>> encodeTile(const Picture& picture);
    Result<std::vector<float>> towerRows(const Picture& picture, PatchGrid& grid);
    Result<std::vector<float>> resampled(std::span<const float> rows, const PatchGrid& grid);
    /// Rows of patches with their positions, and the class token among them.
    Result<std::vector<float>> placed(std::vector<float> rows, const PatchGrid& grid) const;
    size_t projector() const { return 1 + m_ranges.size(); }
    std::vector<float> withLineEnds(std::vector<float> rows, Size cells) const;
    /// Of a picture whose tiles are packed: how. Errors: InvalidArgument.
    Result<PackedTiles> packingOf(const CutPicture& cut) const;

    const TowerSpec& m_spec;
    const models::Weights& m_weights;
    RowPrograms m_programs;
    std::vector<LayerRange> m_ranges;
};

}  // namespace ingle::vision
