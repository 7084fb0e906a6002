#include "app/library/catalog.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <utility>

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
    v.optional("activeBillion", m.activeBillion);
    v.required("fileGb", m.fileGb);
    v.optional("contextTokens", m.contextTokens);
    v.required("file", m.file);
    v.required("page", m.page);
}

namespace {

/// A computer that is sold with 8 GB has less: firmware and graphics take their share.
constexpr double kShareOfSold = 0.9;

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

std::string fileAddress(const CatalogModel& model) {
    return model.page + "/resolve/main/" + model.file;
}

double foretoldSpeed(const CatalogModel& model, const ComputerSize& computer) {
    // Each token reads the weights that compute it once.
    const double share = model.activeBillion > 0 ? model.activeBillion / model.parametersBillion : 1;
    return model.fileGb > 0 ? static_cast<double>(computer.readBytesPerSecond) / (model.fileGb * 1e9 * share)
                            : 0;
}

bool isEmbedding(const CatalogModel& model) {
    return model.use == "embedding";
}

std::vector<CatalogModel> goodChoices(std::span<const CatalogModel> models, const ComputerSize& computer,
                                      size_t count) {
    std::vector<CatalogModel> fitting, pleasant;
    for (const CatalogModel& model : models)
        if (!isEmbedding(model) &&
            model.memoryGb * 1e9 * kShareOfSold <= static_cast<double>(computer.memoryBytes))
            fitting.push_back(model);
    for (const CatalogModel& model : fitting) {
        const double speed = foretoldSpeed(model, computer);
        if (speed == 0 || speed >= kPleasantTokensPerSecond) pleasant.push_back(model);
    }
    const auto isSmaller = [](const CatalogModel& a, const CatalogModel& b) {
        return std::pair(a.memoryGb, a.fileGb) < std::pair(b.memoryGb, b.fileGb);
    };
    std::vector<CatalogModel>& chosen = pleasant.empty() ? fitting : pleasant;
    // Not the one of std::ranges, which clang 14 cannot read in this library.
    std::stable_sort(chosen.begin(), chosen.end(), isSmaller);
    if (chosen.size() <= count) return chosen;
    if (pleasant.empty())
        chosen.resize(count);
    else
        chosen.erase(chosen.begin(), chosen.end() - static_cast<std::ptrdiff_t>(count));
    return chosen;
}

}  // namespace ingle::library
