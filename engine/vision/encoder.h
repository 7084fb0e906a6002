/// A vision tower at work: pictures to rows for the text model.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/vision/patch_grid.h"
#include "engine/vision/row_programs.h"
#include "engine/vision/tower.h"

namespace ingle::vision {

/// One thread. Weights and backend outlive it.
class TowerEncoder {
  public:
    /// Errors: InvalidArgument, when graphs do not fit together (a mistake of the family).
    static Result<std::unique_ptr<TowerEncoder>> create(const TowerSpec& spec, const models::Weights& weights,
                                                        backend::Backend& backend);

    /// Errors: InvalidArgument, OutOfMemory, Device.
    Result<EncodedPicture> encode(const Picture& picture);

  private:
    TowerEncoder(const TowerSpec& spec, const models::Weights& weights, backend::Backend& backend)
        : m_spec(spec), m_weights(weights), m_programs(backend) {}

    /// Rows of one tile, [cells, outDim], and of a line's end where there are some.
    Result<std::vector<float>> encodeTile(const Picture& picture, PictureTile& tile);
    Result<std::vector<float>> towerRows(const Picture& picture, PatchGrid& grid);
    Result<std::vector<float>> resampled(std::span<const float> rows, const PatchGrid& grid);
    /// Rows of patches with their positions, and the class token among them.
    Result<std::vector<float>> placed(std::vector<float> rows, const PatchGrid& grid) const;
    size_t projector() const { return 1 + m_ranges.size(); }
    std::vector<float> withLineEnds(std::vector<float> rows, Size cells) const;

    const TowerSpec& m_spec;
    const models::Weights& m_weights;
    RowPrograms m_programs;
    std::vector<LayerRange> m_ranges;
};

}  // namespace ingle::vision
