/// Which tiling of a product of halves is the fastest on a device.
#pragma once

#include "engine/backend/vulkan/matvec/tiling_cache.h"
#include "engine/backend/vulkan/substrate/device.h"
#include "engine/backend/vulkan/substrate/pipelines.h"
#include "engine/backend/vulkan/weights/weight_store.h"

namespace ingle::backend::vulkan {

struct TimedSizes {
    uint32_t mostTokens = 0;
    uint64_t scratchBytes = 0;  ///< see likelyTilings()
};

/// Multiplies rows, from 16 to as many as there will be, by the first shard of a matrix in the likeliest
/// tilings, and adds the fastest to `tilings` where a kind of product is not known yet. Products that the
/// device takes long for, or has no memory for now, are left to what is expected. Takes as long as compiling
/// the kernels. Errors: Device (lost).
Status timeTilings(const DeviceMatrix& matrix, const TimedSizes& sizes, Device& device, Pipelines& pipelines,
                   TilingTable& tilings);

}  // namespace ingle::backend::vulkan
