/// The fastest tilings that were found on a device, kept on disk (kernel_file.h): type, outputs, columns and
/// rows of the product, the tile's four numbers, parts, multiply-adds a second.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "engine/backend/vulkan/matvec/matmul_tiles.h"
#include "engine/backend/vulkan/weights/weight_format.h"

namespace ingle::backend::vulkan {

/// Type, and a MatmulSize whose rows are rounded up to a power of two.
using ProductKind = std::tuple<std::string, uint32_t, uint32_t, uint32_t>;
struct TimedTiling {
    MatmulTiling tiling;
    uint64_t productsPerSecond = 0;
};
using TilingTable = std::map<ProductKind, TimedTiling>;

ProductKind productKind(const WeightFormat& format, const MatmulSize& size);

/// The file's path; empty where `folder` is empty, which stands for no cache.
std::string tilingCachePath(const std::string& folder, const DeviceInfo& device);

/// The tilings, or none where the file is missing, damaged, or about other kernels or tiles.
TilingTable readTilingCache(const std::string& path, const DeviceInfo& device);

/// Errors: Io.
Status writeTilingCache(const std::string& path, const TilingTable& tilings);

}  // namespace ingle::backend::vulkan
