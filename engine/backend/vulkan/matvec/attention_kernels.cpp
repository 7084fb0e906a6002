#include "engine/backend/vulkan/matvec/attention_kernels.h"

#include <algorithm>

#include "engine/backend/vulkan/matvec/matvec.h"
#include "engine/backend/vulkan/substrate/recorder.h"

namespace ingle::backend::vulkan {
namespace {

/// shaders/attention_tile.comp.
constexpr uint32_t kTileInvocations = 64;
constexpr uint32_t kTileRows = 16;
constexpr uint32_t kMaxTileHeadDim = 128;

/// shaders/attention_halves.comp.
constexpr uint32_t kMaxHalvesHeadDim = 256;
constexpr uint32_t kHalvesSubgroups = 4;
/// At a time, by the width of the device's matrices; software, whose matrices are narrow, takes long to
/// compile more.
constexpr uint32_t keysFor(const MatrixUnits& units) {
    return units.n >= 16 ? 64 : 16;
}
constexpr uint32_t kFirstRows = 16;  // among which a workgroup's tiles begin
/// Heads up to these dimensions leave registers for a second tile of rows in a subgroup …
constexpr uint32_t kMaxTwoTilesHeadDim = 64;
/// … which pays when there are so many workgroups even so.
constexpr uint32_t kWantedGroups = 128;

/// shaders/attention.comp.
constexpr uint32_t kRowInvocations = 64;
/// Query heads of a workgroup: each key and value is read once for all of them, and each needs registers.
constexpr uint32_t kMaxHeads = 8;
/// Workgroups that keep a large device busy; contexts that are short for so many use fewer.
constexpr uint32_t kWantedRowGroups = 264;
constexpr uint32_t kMaxSplits = 64;

/// shaders/attention_row_halves.comp.
constexpr uint32_t kMaxRowHalvesHeadDim = 128;
/// Up to these dimensions a subgroup takes two matrices of keys at a time.
constexpr uint32_t kMaxTwoKeyTilesHeadDim = 64;

uint32_t headsOfGroup(uint32_t headsPerKv) {
    uint32_t heads = std::min(headsPerKv, kMaxHeads);
    while (headsPerKv % heads != 0) --heads;
    return heads;
}

/// Few rows share out their keys, so that enough workgroups run: `groups` for each row.
struct Sharing {
    uint32_t splits;   ///< of a row, however many there are
    uint32_t workers;  ///< workgroups that share these
};
Sharing sharingOf(uint32_t groups, uint32_t numRows, uint32_t mostSplits) {
    const auto wanted = [](uint32_t present, uint32_t most) {
        return std::clamp(groupsFor(kWantedRowGroups, present), 1U, most);
    };
    const uint32_t splits = wanted(groups, std::max(std::min(mostSplits, kMaxSplits), 1U));
    return {splits, wanted(groups * numRows, splits)};
}

/// Of one split of all heads and rows: as many for all numbers of rows of which each gives what it gives
/// alone.
uint64_t floatsOfASplit(const AttentionSize& size) {
    return uint64_t{std::max(size.numTokens, kAlikeRows)} * size.numHeads * splitFloats(size.valueDim);
}

/// Of a workgroup of attention_halves.comp, with the tiles of the device's units.
struct HalvesTile {
    uint32_t rows, keys;
    bool staged;
};

uint64_t sharedBytes(const HalvesTile& tile, const AttentionSize& size, const MatrixUnits& units) {
    const uint64_t keyStride = size.keyDim / 8 + 1, valueStride = size.valueDim / 8 + 1;
    const uint64_t vectors = std::max(tile.rows * keyStride, tile.keys * (keyStride + valueStride));
    const uint64_t rows = tile.staged ? tile.rows : 1;
    return 16 * vectors + sizeof(float) * units.m * units.n +
           rows * (sizeof(float) * (tile.keys + 4 + units.n) + sizeof(uint16_t) * (tile.keys + 8));
}

}  // namespace

std::string_view cacheName(KvType type) {
    switch (type) {
        case KvType::F32:
            return "f32";
        case KvType::F16:
            return "f16";
        case KvType::Q8:
            return "q8";
    }
    return "f16";
}

Result<AttentionKernels> AttentionKernels::create(Device& device, Pipelines& pipelines,
                                                  ActivationType activations) {
    AttentionKernels kernels(device.info());
    if (!device.info().features.cooperativeMatrices || activations != ActivationType::Auto) return kernels;
    // A driver that cannot tell cannot do more either.
    const auto layout = findMatrixLayout(device, pipelines);
    if (!layout && device.lost()) return tl::unexpected(layout.error());
    kernels.m_halves = layout.has_value();
    if (layout) kernels.m_layout = *layout;
    return kernels;
}

bool AttentionKernels::suitsHalves(const AttentionSize& size, uint32_t largestDim) const {
    const MatrixUnits& units = m_device.matrixUnits;
    return m_halves && size.keyDim % std::max(units.k, 8U) == 0 &&
           size.valueDim % std::max(units.n, 8U) == 0 && std::max(size.keyDim, size.valueDim) <= largestDim;
}

std::optional<AttentionKernel> AttentionKernels::halvesTiles(const AttentionSize& size) const {
    const MatrixUnits& units = m_device.matrixUnits;
    if (!suitsHalves(size, kMaxHalvesHeadDim)) return std::nullopt;
    HalvesTile tile{kHalvesSubgroups * units.m, keysFor(units), !m_layout};
    if (tile.staged && units.subgroupSize % units.m != 0) return std::nullopt;
    while (sharedBytes(tile, size, units) > m_device.limits.maxSharedBytes) {
        tile.keys /= 2;
        if (tile.keys < std::max(units.n, units.k)) return std::nullopt;
    }
    uint32_t heads = 1;
    while (size.headsPerKv % (2 * heads) == 0 && tile.rows / (2 * heads) >= std::max(units.m, size.numTokens))
        heads *= 2;
    uint32_t rowTiles = 1;
    HalvesTile twice = tile;
    twice.rows *= 2;
    if (!tile.staged && heads == 1 && std::max(size.keyDim, size.valueDim) <= kMaxTwoTilesHeadDim &&
        size.numHeads * (size.numTokens / twice.rows) >= kWantedGroups &&
        sharedBytes(twice, size, units) <= m_device.limits.maxSharedBytes)
        rowTiles = 2;
    const MatrixLayout layout = m_layout.value_or(MatrixLayout{1, 0, 0});
    AttentionKernel kernel;
    kernel.spec.shader = fmt::format("attention_halves_{}", cacheName(size.cache));
    kernel.spec.subgroupSize = m_device.features.subgroupSizeControl ? units.subgroupSize : 0;
    kernel.spec.constants = {kHalvesSubgroups * units.subgroupSize,
                             size.keyDim,
                             size.valueDim,
                             size.features,
                             heads,
                             rowTiles,
                             tile.keys,
                             units.m,
                             units.n,
                             units.k,
                             units.subgroupSize,
                             layout.rows,
                             layout.shift,
                             layout.xors,
                             tile.staged};
    kernel.groups = {size.numHeads / heads, groupsFor(size.numTokens, kFirstRows), 1};
    return kernel;
}

std::optional<AttentionKernel> AttentionKernels::tiles(const AttentionSize& size) const {
    if (auto kernel = halvesTiles(size)) return kernel;
    if (std::max(size.keyDim, size.valueDim) > kMaxTileHeadDim) return std::nullopt;
    return AttentionKernel{{fmt::format("attention_tile_{}", cacheName(size.cache)),
                            {kTileInvocations, size.keyDim, size.valueDim, size.features}},
                           {size.numHeads, groupsFor(size.numTokens, kTileRows), 1}};
}

std::optional<AttentionKernel> AttentionKernels::halvesRows(const AttentionSize& size,
                                                            uint32_t mostSplits) const {
    const MatrixUnits& units = m_device.matrixUnits;
    // A head alone would leave most of a matrix empty.
    if (!suitsHalves(size, kMaxRowHalvesHeadDim) || !m_layout || size.headsPerKv == 1) return std::nullopt;
    const uint32_t tiles = std::max(size.keyDim, size.valueDim) <= kMaxTwoKeyTilesHeadDim ? 2 : 1;
    const uint32_t keys = tiles * units.n;
    const uint64_t cacheVectors = uint64_t{keys} * (size.keyDim / 8 + 1 + size.valueDim / 8 + 1);
    const uint64_t vectors = std::max<uint64_t>(cacheVectors, units.m * size.valueDim / 4);
    const uint64_t bytes =
        sizeof(float) * (units.m * units.n + 2 * kHalvesSubgroups * units.m + 2 * units.m +
                         2 * kHalvesSubgroups * units.subgroupSize + 1) +
        16 * std::max<uint64_t>(kHalvesSubgroups * vectors, units.m * (size.keyDim / 8 + 1));
    if (bytes > m_device.limits.maxSharedBytes) return std::nullopt;
    const uint32_t groups = size.numHeads / size.headsPerKv * groupsFor(size.headsPerKv, units.m);
    const auto [splits, workers] = sharingOf(groups, size.numTokens, mostSplits);
    AttentionKernel kernel;
    kernel.spec.shader = fmt::format("attention_row_halves_{}", cacheName(size.cache));
    kernel.spec.subgroupSize = m_device.features.subgroupSizeControl ? units.subgroupSize : 0;
    kernel.spec.constants = {kHalvesSubgroups * units.subgroupSize,
                             size.keyDim,
                             size.valueDim,
                             size.features,
                             0,
                             splits,
                             keys,
                             units.m,
                             units.n,
                             units.k,
                             units.subgroupSize,
                             m_layout->rows,
                             m_layout->shift,
                             m_layout->xors,
                             workers,
                             size.form};
    kernel.groups = {groups * workers, size.numTokens, 1};
    kernel.splits = splits;
    return kernel;
}

AttentionKernel AttentionKernels::rows(const AttentionSize& size, uint32_t mostSplits) const {
    if (auto kernel = halvesRows(size, mostSplits)) return *kernel;
    const uint32_t heads = headsOfGroup(size.headsPerKv);
    const uint32_t groups = size.numHeads / heads;
    const auto [splits, workers] = sharingOf(groups, size.numTokens, mostSplits);
    return {{fmt::format("attention_{}", cacheName(size.cache)),
             {kRowInvocations, size.keyDim, size.valueDim, size.features, heads, splits, workers, size.form}},
            {groups * workers, size.numTokens, 1},
            splits};
}

uint32_t AttentionKernels::splitsIn(uint64_t scratchBytes, const AttentionSize& size) {
    return static_cast<uint32_t>(scratchBytes / sizeof(float) / floatsOfASplit(size));
}

uint64_t AttentionKernels::scratchFor(const AttentionSize& size) {
    const uint32_t groups = size.numHeads / headsOfGroup(size.headsPerKv);
    return sharingOf(groups, 1, kMaxSplits).splits * floatsOfASplit(size) * sizeof(float);
}

}  // namespace ingle::backend::vulkan
