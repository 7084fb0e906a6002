#include "engine/backend/vulkan/matvec/matmul.h"

#include <bit>

#include "engine/backend/vulkan/matvec/matmul_timing.h"
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

std::string halvesShader(const WeightFormat& format) {
    return fmt::format("matmul_halves_{}", format.name);
}

/// Constants of shaders/matmul_halves.comp that the last lines of halvesSpec() leave at false.
constexpr size_t kIsSplit = 14, kIsOfExperts = 15;

PipelineSpec halvesSpec(const DeviceInfo& device, const WeightFormat& format, const MatmulTile& tile,
                        std::span<const uint32_t> epilogue) {
    const MatrixUnits& units = device.matrixUnits;
    PipelineSpec spec{halvesShader(format),
                      {tile.numSubgroups() * units.subgroupSize, tile.outputs, tile.tokens},
                      device.features.subgroupSizeControl ? units.subgroupSize : 0};
    spec.constants.insert(spec.constants.end(), epilogue.begin(), epilogue.end());
    for (const uint32_t constant : {units.m, units.n, units.k, kTileColumns, tile.subgroupOutputs,
                                    tile.subgroupTokens, units.subgroupSize, 0U, 0U})
        spec.constants.push_back(constant);
    return spec;
}

}  // namespace

MatmulKernel halvesKernel(const DeviceInfo& device, const WeightFormat& format, const MatmulSize& size,
                          const MatmulTiling& tiling, std::span<const uint32_t> epilogue) {
    const auto& [tile, numParts] = tiling;
    const uint32_t order = epilogue[0];
    const bool isSplit = numParts > 1;
    // Parts only want to know the order; what follows is done when they are added up.
    const std::vector<uint32_t> none{order, 0, 0, ~0U};
    MatmulKernel kernel{.spec = halvesSpec(device, format, tile, isSplit ? none : epilogue),
                        .groups = {groupsFor(size.numOutputs, tile.outputs),
                                   groupsFor(size.numTokens, tile.tokens), numParts},
                        .readsHalves = true};
    kernel.spec.constants[kIsSplit] = isSplit;
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

MatmulKernels::MatmulKernels(const DeviceInfo& device, ActivationType activations,
                             const std::string& cacheFolder)
    : m_device(device), m_halves(activations == ActivationType::Auto && !matmulTiles(device).empty()) {
    if (!m_halves) return;
    m_path = tilingCachePath(cacheFolder, device);
    if (!m_path.empty()) m_tilings = readTilingCache(m_path, device);
}

Status MatmulKernels::measure(std::span<const DeviceMatrix* const> matrices, uint32_t mostTokens,
                              uint64_t scratchBytes, Device& device, Pipelines& pipelines) {
    if (m_path.empty() || !m_halves) return {};
    const size_t numKnown = m_tilings.size();
    for (const DeviceMatrix* matrix : matrices) {
        if (!hasHalvesFor(*matrix->format)) continue;
        INGLE_TRY(timeTilings(*matrix, {mostTokens, scratchBytes}, device, pipelines, m_tilings));
    }
    // What cannot be written is measured again next time.
    if (m_tilings.size() != numKnown) (void)writeTilingCache(m_path, m_tilings);
    return {};
}

MatmulTiling MatmulKernels::tilingFor(const WeightFormat& format, const MatmulSize& size,
                                      uint64_t scratchBytes) const {
    const auto found = m_tilings.find(productKind(format, size));
    if (found != m_tilings.end() && fitsScratch(found->second.tiling, size, scratchBytes))
        return found->second.tiling;
    return likelyTilings(m_device, size, scratchBytes).front();
}

MatmulPartsPush partsPush(const LinearPush& push, const MatmulKernel& kernel) {
    return {.numRows = push.matrix.numRows,
            .firstRow = push.matrix.firstRow,
            .numOut = push.numOut,
            .split1 = push.split1,
            .split2 = push.split2,
            .numParts = kernel.groups[2],
            .partRows = kernel.parts->partRows,
            .width = kernel.parts->width};
}

MatmulKernel MatmulKernels::find(const WeightFormat& format, const MatmulSize& size,
                                 std::span<const uint32_t> epilogue, uint64_t scratchBytes) const {
    // Few kernels, for few numbers of rows.
    MatmulSize like = size;
    like.numTokens = std::bit_ceil(size.numTokens);
    if (!hasHalvesFor(format)) return floatKernel(m_device, format, size, like, epilogue);
    return halvesKernel(m_device, format, size, tilingFor(format, like, scratchBytes), epilogue);
}

bool MatmulKernels::hasHalvesFor(const WeightFormat& format) const {
    return m_halves && findShader(halvesShader(format));
}

std::optional<MatmulKernel> MatmulKernels::findExperts(const WeightFormat& format, const ExpertSize& size,
                                                       bool hasBias) const {
    if (!hasHalvesFor(format)) return std::nullopt;
    // All experts at once, each with its share of the rows.
    const uint32_t share = std::bit_ceil(groupsFor(size.numSlots, size.numExperts));
    const MatmulTile tile =
        likelyTilings(m_device, {size.numExperts * size.numOutputs, size.k, share}, 0).front().tile;
    const uint32_t epilogue[] = {0, hasBias, 0, ~0U};
    MatmulKernel kernel{
        .spec = halvesSpec(m_device, format, tile, epilogue),
        .groups = {groupsFor(size.numOutputs, tile.outputs), mostExpertTiles(size, tile.tokens), 1},
        .readsHalves = true};
    kernel.spec.constants[kIsOfExperts] = true;
    return kernel;
}

}  // namespace ingle::backend::vulkan
