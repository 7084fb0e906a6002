#include "engine/backend/vulkan/matvec/matmul.h"

#include <bit>

#include "engine/backend/vulkan/substrate/recorder.h"
#include "engine/backend/vulkan/substrate/shaders.h"

namespace ingle::backend::vulkan {
namespace {

/// A workgroup of shaders/matmul.comp: outputs and rows of x, and rows of an invocation, which has eight
/// outputs.
struct FloatTile {
    uint32_t outputs, tokens, block;
};
constexpr FloatTile kLargeFloats{128, 64, 8}, kSmallFloats{64, 32, 4};
/// Of shaders/matmul_parts.comp.
constexpr uint32_t kAddingInvocations = 128;
/// How rows of parts lie, see shaders/epilogue.glsl.
constexpr uint32_t kGated = 2;

/// In the tile for sizes like `like`.
MatmulKernel floatKernel(const DeviceInfo& device, const WeightFormat& format, const MatmulSize& size,
                         const MatmulSize& like, std::span<const uint32_t> epilogue) {
    const auto groupsOf = [](const FloatTile& tile, const MatmulSize& of) {
        return std::array{groupsFor(of.numOutputs, tile.outputs), groupsFor(of.numTokens, tile.tokens), 1U};
    };
    const auto large = groupsOf(kLargeFloats, like);
    // Software has few registers, and no multiprocessors to fill.
    const bool fills = device.kind != DeviceKind::Cpu && large[0] * large[1] >= multiprocessorsOf(device);
    const FloatTile& tile = fills ? kLargeFloats : kSmallFloats;
    PipelineSpec spec{fmt::format("matmul_{}", format.name),
                      {tile.outputs / 8 * (tile.tokens / tile.block), tile.outputs, tile.tokens}};
    spec.constants.insert(spec.constants.end(), epilogue.begin(), epilogue.end());
    spec.constants.push_back(tile.block);
    return {.spec = std::move(spec), .groups = groupsOf(tile, size)};
}

}  // namespace

MatmulKernels::MatmulKernels(const DeviceInfo& device, ActivationType activations)
    : m_device(device), m_halves(activations == ActivationType::Auto && !matmulTiles(device).empty()) {}

MatmulKernel MatmulKernels::find(const WeightFormat& format, const MatmulSize& size,
                                 std::span<const uint32_t> epilogue, uint64_t scratchBytes) const {
    const std::string shader = fmt::format("matmul_halves_{}", format.name);
    // Few kernels, for few numbers of rows.
    MatmulSize like = size;
    like.numTokens = std::bit_ceil(size.numTokens);
    if (!m_halves || !findShader(shader)) return floatKernel(m_device, format, size, like, epilogue);
    const uint32_t order = epilogue[0];
    const auto [tile, numParts] = *chooseMatmulTiling(m_device, like, scratchBytes);
    const MatrixUnits& units = m_device.matrixUnits;
    const bool isSplit = numParts > 1;
    MatmulKernel kernel{.groups = {groupsFor(size.numOutputs, tile.outputs),
                                   groupsFor(size.numTokens, tile.tokens), numParts},
                        .readsHalves = true};
    kernel.spec.shader = shader;
    kernel.spec.subgroupSize = m_device.features.subgroupSizeControl ? units.subgroupSize : 0;
    kernel.spec.constants = {tile.numSubgroups() * units.subgroupSize, tile.outputs, tile.tokens};
    // Parts only want to know the order; what follows is done when they are added up.
    const std::vector<uint32_t> none{order, 0, 0, ~0U};
    const std::span<const uint32_t> own = isSplit ? none : epilogue;
    kernel.spec.constants.insert(kernel.spec.constants.end(), own.begin(), own.end());
    for (const uint32_t constant : {units.m, units.n, units.k, kTileColumns, tile.subgroupOutputs,
                                    tile.subgroupTokens, units.subgroupSize, uint32_t{isSplit}})
        kernel.spec.constants.push_back(constant);
    if (!isSplit) return kernel;

    const uint32_t partRows = kernel.groups[1] * tile.tokens, width = kernel.groups[0] * tile.outputs;
    PipelineSpec adding{"matmul_parts", {kAddingInvocations, tile.outputs, 0}};
    adding.constants.insert(adding.constants.end(), epilogue.begin(), epilogue.end());
    const uint32_t numResults = order == kGated ? size.numOutputs / 2 : size.numOutputs;
    kernel.parts = {.adding = std::move(adding),
                    .groups = {groupsFor(numResults, kAddingInvocations), size.numTokens, 1},
                    .partRows = partRows,
                    .width = width,
                    .bytes = uint64_t{numParts} * partRows * width * sizeof(float)};
    return kernel;
}

}  // namespace ingle::backend::vulkan
