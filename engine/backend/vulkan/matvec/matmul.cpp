#include "engine/backend/vulkan/matvec/matmul.h"

#include "engine/backend/vulkan/substrate/recorder.h"
#include "engine/backend/vulkan/substrate/shaders.h"

namespace ingle::backend::vulkan {
namespace {

/// Outputs and rows of x that a workgroup computes.
struct Tile {
    uint32_t invocations, outputs, tokens;
};
constexpr Tile kFloats{64, 64, 32};
constexpr Tile kHalves{256, 128, 64};
constexpr uint32_t kHalvesSharedBytes = 48 * 1024;

/// Whether the units are those that shaders/matmul_halves.comp is written for.
bool suitsHalves(const DeviceInfo& device) {
    const MatrixUnits& units = device.matrixUnits;
    return device.features.cooperativeMatrices && units.m == 16 && units.n == 16 && units.k == 16 &&
           units.subgroupSize == 32 && device.limits.maxSharedBytes >= kHalvesSharedBytes;
}

}  // namespace

MatmulKernels::MatmulKernels(const DeviceInfo& device, ActivationType activations)
    : m_subgroupSize(device.features.subgroupSizeControl ? device.matrixUnits.subgroupSize : 0),
      m_halves(activations == ActivationType::Auto && suitsHalves(device)) {}

MatmulKernel MatmulKernels::find(const WeightFormat& format, uint32_t numOutputs, uint32_t numTokens,
                                 std::span<const uint32_t> epilogue) const {
    const std::string halves = fmt::format("matmul_halves_{}", format.name);
    const bool isHalves = m_halves && findShader(halves);
    const Tile& tile = isHalves ? kHalves : kFloats;
    MatmulKernel kernel;
    kernel.spec.subgroupSize = isHalves ? m_subgroupSize : 0;
    kernel.spec.shader = isHalves ? halves : fmt::format("matmul_{}", format.name);
    kernel.spec.constants = {tile.invocations, tile.tokens,
                             0};  // there is no constant 2, and 1 in matmul_halves only
    kernel.spec.constants.insert(kernel.spec.constants.end(), epilogue.begin(), epilogue.end());
    kernel.groups = {groupsFor(numOutputs, tile.outputs), groupsFor(numTokens, tile.tokens), 1};
    return kernel;
}

}  // namespace ingle::backend::vulkan
