#include "engine/backend/vulkan/matvec/matmul_tiles.h"

#include <algorithm>
#include <optional>

namespace ingle::backend::vulkan {
namespace {

/// As subgroups of 32 take them. `speed`: of a multiprocessor with such tiles, relative to the first
/// (measured on an H200, as all figures here).
struct KnownTile {
    MatmulTile tile;
    double speed;
};
constexpr KnownTile kKnownTiles[] = {
    {{128, 128, 32, 64}, 1},  {{64, 128, 32, 64}, 0.7}, {{128, 64, 32, 32}, 0.65}, {{64, 64, 32, 32}, 0.68},
    {{128, 32, 32, 32}, 0.5}, {{64, 32, 32, 16}, 0.45}, {{128, 16, 32, 16}, 0.35}, {{64, 16, 32, 16}, 0.3},
};

/// Sums that an invocation keeps in registers. In software they make long programs, which take long to
/// compile.
constexpr uint32_t kMaxSums = 64, kMaxSoftwareSums = 16;
/// What splitting the columns costs: a dispatch that waits, and each sum that is written or read. In products
/// as a multiprocessor computes them in the first tile.
constexpr double kDispatchCost = 1.9e6, kSumCost = 1.3;
constexpr uint32_t kMaxParts = 8;
/// Columns of a part, at least.
constexpr uint32_t kPartColumns = 4 * kTileColumns;
/// Where the driver does not tell how many multiprocessors there are.
constexpr uint32_t kUsualMultiprocessors = 32;

uint32_t groupsOf(uint32_t count, uint32_t size) {
    return (count + size - 1) / size;
}

/// The tile in subgroups that have no more sums than that, and two matrices of outputs at least: one of each
/// part, where rows come in turns.
MatmulTile fitted(MatmulTile tile, const MatrixUnits& units, uint32_t mostSums) {
    uint32_t &outputs = tile.subgroupOutputs, &tokens = tile.subgroupTokens;
    while (outputs * tokens > mostSums * units.subgroupSize) {
        const bool fewerTokens = tokens > units.n && (tokens >= outputs || outputs <= 2 * units.m);
        if (!fewerTokens && outputs <= 2 * units.m) break;
        (fewerTokens ? tokens : outputs) /= 2;
    }
    return tile;
}

bool canDo(const DeviceInfo& device, const MatmulTile& tile) {
    const MatrixUnits& units = device.matrixUnits;
    constexpr uint32_t kRowBytes = (kTileColumns + 8) * 2;
    return tile.subgroupOutputs >= 2 * units.m && tile.subgroupTokens >= units.n &&
           tile.numSubgroups() * units.subgroupSize <= device.limits.maxWorkgroupSize &&
           (device.limits.maxSubgroups == 0 || tile.numSubgroups() <= device.limits.maxSubgroups) &&
           (tile.outputs + tile.tokens) * kRowBytes <= device.limits.maxSharedBytes;
}

template <typename See>
void forEachTile(const DeviceInfo& device, See see) {
    if (!device.features.cooperativeMatrices) return;
    const uint32_t sums = device.kind == DeviceKind::Cpu ? kMaxSoftwareSums : kMaxSums;
    for (const KnownTile& known : kKnownTiles) {
        const MatmulTile tile = fitted(known.tile, device.matrixUnits, sums);
        if (canDo(device, tile)) see(tile, known.speed);
    }
}

}  // namespace

uint32_t multiprocessorsOf(const DeviceInfo& device) {
    return device.limits.multiprocessors > 0 ? device.limits.multiprocessors : kUsualMultiprocessors;
}

std::vector<MatmulTile> matmulTiles(const DeviceInfo& device) {
    std::vector<MatmulTile> tiles;
    forEachTile(device, [&](const MatmulTile& tile, double) { tiles.push_back(tile); });
    return tiles;
}

bool isPossibleSplit(uint32_t numParts, uint32_t k) {
    if (numParts == 1) return true;
    if (numParts == 0 || numParts > kMaxParts) return false;
    const uint32_t steps = groupsOf(k, kTileColumns), partSteps = groupsOf(steps, numParts);
    return partSteps * kTileColumns >= kPartColumns && (numParts - 1) * partSteps < steps;
}

bool fitsScratch(const MatmulTiling& tiling, const MatmulSize& size, uint64_t scratchBytes) {
    const MatmulTile& tile = tiling.tile;
    const uint64_t tiles =
        uint64_t{groupsOf(size.numOutputs, tile.outputs)} * groupsOf(size.numTokens, tile.tokens);
    const uint64_t tileBytes = uint64_t{tile.outputs} * tile.tokens * sizeof(float);
    return tiling.numParts == 1 || tiles * tiling.numParts * tileBytes <= scratchBytes;
}

std::vector<MatmulTiling> likelyTilings(const DeviceInfo& device, const MatmulSize& size,
                                        uint64_t scratchBytes) {
    const uint32_t multiprocessors = multiprocessorsOf(device);
    const uint32_t steps = groupsOf(size.k, kTileColumns);
    struct Expected {
        MatmulTiling tiling;
        double cost = 0;
    };
    std::vector<Expected> expected;
    forEachTile(device, [&](const MatmulTile& tile, double speed) {
        const uint32_t tiles =
            groupsOf(size.numOutputs, tile.outputs) * groupsOf(size.numTokens, tile.tokens);
        std::optional<Expected> best;
        for (uint32_t wanted = 1; wanted <= kMaxParts; ++wanted) {
            const uint32_t partSteps = groupsOf(steps, wanted), parts = groupsOf(steps, partSteps);
            const MatmulTiling tiling{tile, parts};
            if (!isPossibleSplit(parts, size.k) || !fitsScratch(tiling, size, scratchBytes)) break;
            const uint32_t turns = groupsOf(tiles * parts, multiprocessors);
            const double products = tile.outputs * tile.tokens / speed * partSteps * kTileColumns;
            const double sums = double{2} * parts * size.numOutputs * size.numTokens;
            const double cost = turns * products + (parts > 1 ? kDispatchCost + kSumCost * sums : 0);
            if (!best || cost < best->cost) best = {tiling, cost};
        }
        expected.push_back(*best);
    });
    std::ranges::stable_sort(expected, {}, &Expected::cost);
    std::vector<MatmulTiling> tilings(expected.size());
    std::ranges::transform(expected, tilings.begin(), &Expected::tiling);
    return tilings;
}

}  // namespace ingle::backend::vulkan
