#include "engine/backend/vulkan/matvec/shape_cache.h"

#include <algorithm>

#include "engine/backend/vulkan/matvec/kernel_file.h"

namespace ingle::backend::vulkan {
using nlohmann::json;

std::string shapeCachePath(const std::string& folder, const DeviceInfo& device, ActivationType activations) {
    return kernelFilePath(folder, kMatvecTable.name, driverIdentity(device), activations);
}

ShapeTable readShapeCache(const std::string& path, const DeviceInfo& device, ActivationType activations) {
    ShapeTable shapes;
    const auto see = [&](const json& row) {
        const auto name = row[0].get<std::string>();
        const auto format = std::ranges::find(allWeightFormats(), name, &WeightFormat::name);
        if (format == allWeightFormats().end()) return false;
        const MatrixKind kind{name, row[1].get<uint32_t>(), row[2].get<uint32_t>()};
        const MatvecShape shape{MatvecInput{row[3].get<uint8_t>()},
                                row[4].get<uint32_t>(),
                                row[5].get<uint32_t>(),
                                row[6].get<uint32_t>(),
                                row[7].get<uint32_t>(),
                                row[8].get<uint32_t>()};
        const auto candidates = matvecCandidates(device, **format, activations, std::get<2>(kind));
        const bool isNone = shape == kNoMatvec && std::get<2>(kind) > kSurelyMatvec;
        if (!isNone && std::ranges::find(candidates, shape) == candidates.end()) return false;
        shapes[kind] = {shape, row[9].get<uint64_t>()};
        return true;
    };
    if (!readKernelFile(path, kMatvecTable, see)) return {};
    return shapes;
}

Status writeShapeCache(const std::string& path, const ShapeTable& shapes) {
    json rows = json::array();
    for (const auto& [kind, timed] : shapes) {
        const auto& [type, k, numRows] = kind;
        const MatvecShape& shape = timed.shape;
        rows.push_back({type, k, numRows, static_cast<uint32_t>(shape.input), shape.invocations, shape.teams,
                        shape.outputs, shape.groups, shape.subgroupSize, timed.bytesPerSecond});
    }
    return writeKernelFile(path, kMatvecTable, rows);
}

}  // namespace ingle::backend::vulkan
