/// The kernels that multiply many rows by a matrix: shaders/matmul.comp, or matmul_halves.comp where a device
/// has units for it.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "engine/backend/vulkan/matvec/matvec.h"
#include "engine/backend/vulkan/matvec/tiling_cache.h"

namespace ingle::backend::vulkan {

/// What to dispatch.
struct MatmulKernel {
    PipelineSpec spec;
    std::array<uint32_t, 3> groups{};
    bool readsHalves = false;  ///< x in RowForm::Halves instead of floats
    /// Where the columns are split: the kernel writes sums [groups[2], partRows, width], and `adding` makes
    /// outputs of them (shaders/matmul_parts.comp).
    struct Parts {
        PipelineSpec adding;
        std::array<uint32_t, 3> groups{};
        uint32_t partRows, width;
        uint64_t bytes;
    };
    std::optional<Parts> parts;
};

/// Push constants of matmul_parts.comp.
struct MatmulPartsPush {
    uint32_t numRows, firstRow;
    uint32_t numOut, split1, split2;
    uint32_t numParts, partRows, width;
};

/// Of the outputs that `kernel`, which has parts, computes with `push`.
MatmulPartsPush partsPush(const LinearPush& push, const MatmulKernel& kernel);

/// Of OpCode::ExpertLinear: matrices [numOutputs, k] of `numExperts`, which multiply `numSlots` rows in all.
struct ExpertSize {
    uint32_t numExperts = 0, numOutputs = 0, k = 0, numSlots = 0;
};

/// Of shaders/expert_plan.comp.
inline constexpr uint64_t expertPlanBytes(uint64_t numSlots, uint64_t maxTiles) {
    return (1 + 3 * maxTiles + numSlots) * sizeof(uint32_t);
}
/// Tiles of so many rows, where each expert may have one that is not full.
inline constexpr uint32_t mostExpertTiles(const ExpertSize& size, uint32_t tile) {
    return size.numSlots / tile + std::min(size.numExperts, size.numSlots);
}

class MatmulKernels {
  public:
    /// cacheFolder: where tilings that were measured are kept: an existing folder, or empty, which stands for
    /// measuring none.
    MatmulKernels(const DeviceInfo& device, ActivationType activations, const std::string& cacheFolder = {});

    /// Times the likeliest tilings for up to `mostTokens` rows of each kind of matrix that is not known yet,
    /// on its own weights. Errors: Device (lost).
    Status measure(std::span<const DeviceMatrix* const> matrices, uint32_t mostTokens, uint64_t scratchBytes,
                   Device& device, Pipelines& pipelines);

    /// `epilogue`: the constants of shaders/epilogue.glsl; `scratchBytes`: see Parts.
    MatmulKernel find(const WeightFormat& format, const MatmulSize& size, std::span<const uint32_t> epilogue,
                      uint64_t scratchBytes) const;

    /// One whose workgroups y are tiles of rows, as constant 2 says how many; none where a product of few
    /// rows has to do.
    std::optional<MatmulKernel> findExperts(const WeightFormat& format, const ExpertSize& size,
                                            bool hasBias) const;

    /// Whether activations, and weights that are not floats in the file, are rounded to halves.
    bool haveHalves() const { return m_halves; }
    /// Never again on this device: it gets them wrong. False: there were none.
    bool dropHalves() { return std::exchange(m_halves, false); }

  private:
    bool hasHalvesFor(const WeightFormat& format) const;

    MatmulTiling tilingFor(const WeightFormat& format, const MatmulSize& size, uint64_t scratchBytes) const;

    const DeviceInfo& m_device;
    bool m_halves;
    std::string m_path;
    TilingTable m_tilings;
};

/// The kernel of shaders/matmul_halves.comp with a tiling.
MatmulKernel halvesKernel(const DeviceInfo& device, const WeightFormat& format, const MatmulSize& size,
                          const MatmulTiling& tiling, std::span<const uint32_t> epilogue);

}  // namespace ingle::backend::vulkan
