/// In which tiles the outputs of shaders/matmul_halves.comp are computed.
#pragma once

#include <cstdint>
#include <optional>
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
};

/// As the driver tells, or a guess.
uint32_t multiprocessorsOf(const DeviceInfo& device);

/// The tiles that the device can do.
std::vector<MatmulTile> matmulTiles(const DeviceInfo& device);

struct MatmulTiling {
    MatmulTile tile;
    uint32_t numParts = 1;  ///< into which the columns are split among workgroups; none is empty
};

/// What is expected to be fastest; none where the device can do no tile. `scratchBytes`: for what parts have,
/// as floats.
std::optional<MatmulTiling> chooseMatmulTiling(const DeviceInfo& device, const MatmulSize& size,
                                               uint64_t scratchBytes);

}  // namespace ingle::backend::vulkan
