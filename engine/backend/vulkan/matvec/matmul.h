/// The kernels that multiply many rows by a matrix: shaders/matmul.comp, or matmul_halves.comp where a device
/// has units for it.
#pragma once

#include <array>
#include <utility>

#include "engine/backend/vulkan/matvec/matvec.h"

namespace ingle::backend::vulkan {

/// What to dispatch.
struct MatmulKernel {
    PipelineSpec spec;
    std::array<uint32_t, 3> groups{};
};

class MatmulKernels {
  public:
    MatmulKernels(const DeviceInfo& device, ActivationType activations);

    /// Of W [numOutputs, k] and x [numTokens, k]. `epilogue`: the constants of shaders/epilogue.glsl.
    MatmulKernel find(const WeightFormat& format, uint32_t numOutputs, uint32_t numTokens,
                      std::span<const uint32_t> epilogue) const;

    /// Whether activations, and weights that are not floats in the file, are rounded to halves.
    bool haveHalves() const { return m_halves; }
    /// Never again on this device: it gets them wrong. False: there were none.
    bool dropHalves() { return std::exchange(m_halves, false); }

  private:
    uint32_t m_subgroupSize;  ///< demanded; 0: there is one size only
    bool m_halves;
};

}  // namespace ingle::backend::vulkan
