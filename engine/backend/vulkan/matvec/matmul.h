/// The kernels that multiply many rows by a matrix: shaders/matmul.comp, or matmul_halves.comp where a device
/// has units for it.
#pragma once

#include <array>
#include <utility>

#include "engine/backend/vulkan/matvec/matmul_tiles.h"
#include "engine/backend/vulkan/matvec/matvec.h"

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

class MatmulKernels {
  public:
    MatmulKernels(const DeviceInfo& device, ActivationType activations);

    /// `epilogue`: the constants of shaders/epilogue.glsl; `scratchBytes`: see Parts.
    MatmulKernel find(const WeightFormat& format, const MatmulSize& size, std::span<const uint32_t> epilogue,
                      uint64_t scratchBytes) const;

    /// Whether activations, and weights that are not floats in the file, are rounded to halves.
    bool haveHalves() const { return m_halves; }
    /// Never again on this device: it gets them wrong. False: there were none.
    bool dropHalves() { return std::exchange(m_halves, false); }

  private:
    const DeviceInfo& m_device;
    bool m_halves;
};

}  // namespace ingle::backend::vulkan
