/// In which tiles the outputs of shaders/matmul_halves.comp are computed.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/vulkan/substrate/device_info.h"

namespace ingle::backend::vulkan {

/// Of W [numOutputs, k] and x [numTokens, k].
struct MatmulSize {
    uint32_t numOutputs = 0, k = 0, numTokens = 0;
};

/// Columns of W and x that are in shared memory at a time.
inline constexpr uint32_t kTileColumns = 64;

/// Rows of x of the smallest tile.
inline constexpr uint32_t kLeastTileTokens = 16;

/// Outputs and rows of x of a workgroup, and of each of its subgroups.
struct MatmulTile {
    uint32_t outputs = 0, tokens = 0;
    uint32_t subgroupOutputs = 0, subgroupTokens = 0;

    uint32_t numSubgroups() const { return outputs / subgroupOutputs * (tokens / subgroupTokens); }
    bool operator==(const MatmulTile&) const = default;
};

/// As the driver tells, or a guess.
uint32_t multiprocessorsOf(const DeviceInfo& device);

/// The tiles that the device can do.
std::vector<MatmulTile> matmulTiles(const DeviceInfo& device);

struct MatmulTiling {
    MatmulTile tile;
    uint32_t numParts = 1;  ///< into which the columns are split among workgroups; none is empty

    bool operator==(const MatmulTiling&) const = default;
};

/// The device's tiles, each with the best number of parts, in the order in which they are expected to be
/// fast; none where the device can do no tile. `scratchBytes`: for what parts have, as floats.
std::vector<MatmulTiling> likelyTilings(const DeviceInfo& device, const MatmulSize& size,
                                        uint64_t scratchBytes);

/// Whether k columns can be split so.
bool isPossibleSplit(uint32_t numParts, uint32_t k);

/// Whether so much memory holds what the parts have.
bool fitsScratch(const MatmulTiling& tiling, const MatmulSize& size, uint64_t scratchBytes);

}  // namespace ingle::backend::vulkan
