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
/// Tokens a second: 238 words a minute (Brysbaert, "How many words do we read per minute?", 2019) of 0.75
/// words a token.
constexpr double kQuickTokens = 5;

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

std::vector<CatalogModel> goodChoices(std::span<const CatalogModel> models, const ComputerSize& computer,
                                      size_t count) {
    std::vector<CatalogModel> fitting;
    for (const CatalogModel& model : models)
        if (model.memoryGb * 1e9 * kShareOfSold <= static_cast<double>(computer.memoryBytes))
            fitting.push_back(model);
    std::ranges::stable_sort(fitting, std::ranges::greater{}, &CatalogModel::memoryGb);
    // Each token reads the whole file once: the catalog has dense models and recurrent ones.
    const auto isQuick = [&](const CatalogModel& model) {
        return computer.readBytesPerSecond == 0 ||
               static_cast<double>(computer.readBytesPerSecond) >= kQuickTokens * model.fileGb * 1e9;
    };
    // Not the one of std::ranges, which clang 14 cannot read in this library.
    std::stable_partition(fitting.begin(), fitting.end(), isQuick);
    if (fitting.size() > count) fitting.resize(count);
    return fitting;
}

}  // namespace ingle::library
