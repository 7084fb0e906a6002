#include "engine/backend/vulkan/matvec/shape_cache.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/io/atomic_file.h"
#include "engine/io/mapped_file.h"

namespace ingle::backend::vulkan {
namespace {

using nlohmann::json;

/// Which version of the kernels the file is about: a change of matvec.glsl that moves the balance counts it
/// up.
constexpr int kVersion = 2;

bool isRow(const json& row) {
    return row.is_array() && row.size() == 9 && row[0].is_string() &&
           std::all_of(row.begin() + 1, row.end(),
                       [](const json& number) { return number.is_number_unsigned(); });
}

}  // namespace

std::string shapeCachePath(const std::string& folder, const DeviceInfo& device, ActivationType activations) {
    if (folder.empty()) return {};
    const std::string_view exact = activations == ActivationType::F32 ? "-f32" : "";
    return fmt::format("{}/matvec{}-{}.json", folder, exact, driverIdentity(device));
}

ShapeTable readShapeCache(const std::string& path, const DeviceInfo& device, ActivationType activations) {
    const auto file = io::MappedFile::open(path);
    if (!file) return {};
    const auto* text = reinterpret_cast<const char*>((*file)->bytes().data());
    const json content = json::parse(text, text + (*file)->bytes().size(), nullptr, false);
    if (!content.is_object() || !content.contains("shapes") || !content["shapes"].is_array()) return {};
    if (!content.contains("version") || content["version"] != kVersion) return {};
    ShapeTable shapes;
    for (const json& row : content["shapes"]) {
        if (!isRow(row)) return {};
        const auto name = row[0].get<std::string>();
        const auto format = std::ranges::find(allWeightFormats(), name, &WeightFormat::name);
        if (format == allWeightFormats().end()) return {};
        const MatrixKind kind{name, row[1].get<uint32_t>(), row[2].get<uint32_t>()};
        const MatvecShape shape{MatvecInput{row[3].get<uint8_t>()},
                                row[4].get<uint32_t>(),
                                row[5].get<uint32_t>(),
                                row[6].get<uint32_t>(),
                                row[7].get<uint32_t>(),
                                row[8].get<uint32_t>()};
        const auto candidates = matvecCandidates(device, **format, activations, std::get<2>(kind));
        const bool isNone = shape == kNoMatvec && std::get<2>(kind) > kSurelyMatvec;
        if (!isNone && std::ranges::find(candidates, shape) == candidates.end()) return {};
        shapes[kind] = shape;
    }
    return shapes;
}

Status writeShapeCache(const std::string& path, const ShapeTable& shapes) {
    json rows = json::array();
    for (const auto& [kind, shape] : shapes) {
        const auto& [type, k, numRows] = kind;
        rows.push_back({type, k, numRows, static_cast<uint32_t>(shape.input), shape.invocations, shape.teams,
                        shape.outputs, shape.groups, shape.subgroupSize});
    }
    const std::string text = json{{"version", kVersion}, {"shapes", rows}}.dump();
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path));
    INGLE_TRY(file->write(std::as_bytes(std::span(text))));
    return file->commit(io::Durability::Unflushed);
}

}  // namespace ingle::backend::vulkan
