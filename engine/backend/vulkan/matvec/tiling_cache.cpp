#include "engine/backend/vulkan/matvec/tiling_cache.h"

#include <algorithm>
#include <bit>

#include "engine/backend/vulkan/matvec/kernel_file.h"

namespace ingle::backend::vulkan {
using nlohmann::json;

ProductKind productKind(const WeightFormat& format, const MatmulSize& size) {
    return {std::string(format.name), size.numOutputs, size.k, std::bit_ceil(size.numTokens)};
}

std::string tilingCachePath(const std::string& folder, const DeviceInfo& device) {
    return kernelFilePath(folder, kMatmulTable.name, driverIdentity(device), ActivationType::Auto);
}

TilingTable readTilingCache(const std::string& path, const DeviceInfo& device) {
    TilingTable tilings;
    const auto tiles = matmulTiles(device);
    const auto see = [&](const json& row) {
        const auto number = [&](size_t i) { return row[i].get<uint32_t>(); };
        const MatmulTiling tiling{{number(4), number(5), number(6), number(7)}, number(8)};
        const MatmulSize size{number(1), number(2), number(3)};
        const bool isPossible =
            std::ranges::find(tiles, tiling.tile) != tiles.end() && isPossibleSplit(tiling.numParts, size.k);
        if (isPossible)
            tilings[{row[0].get<std::string>(), size.numOutputs, size.k, size.numTokens}] = {
                tiling, row[9].get<uint64_t>()};
        return isPossible;
    };
    if (!readKernelFile(path, kMatmulTable, see)) return {};
    return tilings;
}

Status writeTilingCache(const std::string& path, const TilingTable& tilings) {
    json rows = json::array();
    for (const auto& [kind, timed] : tilings) {
        const auto& [format, numOutputs, k, numTokens] = kind;
        const auto& [tile, numParts] = timed.tiling;
        rows.push_back({format, numOutputs, k, numTokens, tile.outputs, tile.tokens, tile.subgroupOutputs,
                        tile.subgroupTokens, numParts, timed.productsPerSecond});
    }
    return writeKernelFile(path, kMatmulTable, rows);
}

}  // namespace ingle::backend::vulkan
