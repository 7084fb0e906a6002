#include "app/library/catalog.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/library/shared_file.h"

namespace ingle::library {
namespace {

using nlohmann::json;

/// A computer that is sold with 8 GB has less: firmware and graphics take their share.
constexpr double kShareOfSold = 0.9;

CatalogModel readModel(const json& entry) {
    return {.name = entry.at("name"),
            .maker = entry.at("maker"),
            .licence = entry.at("licence"),
            .family = entry.at("family"),
            .use = entry.at("use"),
            .memoryGb = entry.at("memoryGb"),
            .parametersBillion = entry.at("parametersBillion"),
            .fileGb = entry.at("fileGb"),
            .contextTokens = entry.value("contextTokens", uint32_t{0}),
            .file = entry.at("file"),
            .page = entry.at("page")};
}

}  // namespace

std::string catalogPath() {
    return sharedFile("models.json", "INGLE_MODELS");
}

Result<Catalog> readCatalog(const std::string& path) {
    std::ifstream file(path);
    if (!file) return fail(ErrorCode::Io, "{}: cannot be read", path);
    try {
        const json whole = json::parse(file);
        Catalog catalog{.asOf = whole.at("asOf"), .models = {}};
        for (const json& entry : whole.at("models")) catalog.models.push_back(readModel(entry));
        return catalog;
    } catch (const json::exception& error) {
        return fail(ErrorCode::Corrupt, "{}: not a list of models: {}", path, shown(error.what()));
    }
}

std::vector<CatalogModel> goodChoices(std::span<const CatalogModel> models, uint64_t memoryBytes,
                                      size_t count) {
    std::vector<CatalogModel> fitting;
    for (const CatalogModel& model : models)
        if (model.memoryGb * 1e9 * kShareOfSold <= static_cast<double>(memoryBytes)) fitting.push_back(model);
    std::ranges::stable_sort(fitting, std::ranges::greater{}, &CatalogModel::memoryGb);
    if (fitting.size() > count) fitting.resize(count);
    return fitting;
}

}  // namespace ingle::library
