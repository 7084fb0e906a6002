#include "app/library/catalog.h"

#include <algorithm>
#include <fstream>

#include "app/codec/codec.h"
#include "app/library/shared_file.h"

namespace ingle::library {

template <typename V>
void fields(V& v, codec::Of<CatalogModel> auto& m) {
    v.required("name", m.name);
    v.required("maker", m.maker);
    v.required("licence", m.licence);
    v.required("family", m.family);
    v.required("use", m.use);
    v.required("memoryGb", m.memoryGb);
    v.required("parametersBillion", m.parametersBillion);
    v.required("fileGb", m.fileGb);
    v.optional("contextTokens", m.contextTokens);
    v.required("file", m.file);
    v.required("page", m.page);
}

namespace {

/// A computer that is sold with 8 GB has less: firmware and graphics take their share.
constexpr double kShareOfSold = 0.9;
/// Tokens a second: 238 words a minute (Brysbaert, "How many words do we read per minute?", 2019) of 0.75
/// words a token.
constexpr double kQuickTokens = 5;

}  // namespace

std::string catalogPath() {
    return sharedFile("models.json", "INGLE_MODELS");
}

Result<Catalog> readCatalog(const std::string& path) {
    std::ifstream file(path);
    if (!file) return fail(ErrorCode::Io, "{}: cannot be read", path);
    const auto whole = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
    Catalog catalog;
    codec::Reader<codec::kStrict> reader(whole);
    reader.required("asOf", catalog.asOf);
    reader.required("models", catalog.models);
    if (!reader.mistake()) return catalog;
    return fail(ErrorCode::Corrupt, "{}: not a list of models: {}", path, reader.mistake()->sentence());
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
