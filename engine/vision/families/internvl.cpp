/// InternVL: tiles, and branches with factors; the class token comes first, as in the model's own code.
/// Source: Chen et al., "InternVL" (2023) and "How Far Are We to GPT-4V?" (2024).
#include "engine/vision/family.h"

namespace ingle::vision::internvl_vision {
namespace {

constexpr std::string_view kTypes[] = {"internvl"};
constexpr float kNormEps = 1e-5F;
/// The 6B tower, which nothing but its sizes tells, has norms of root mean squares.
constexpr uint32_t kLargeDim = 3200, kLargeLayers = 45;

graph::Value project(graph::Builder& b, const TowerSpec& spec, const models::Weights& w, graph::Value x) {
    x = towerNorm(b, w, true, kNormEps, x, "mm.model.mlp.0");
    return projectTwice(b, w, x, "mm.model.mlp.1", spec.projectorActivation, "mm.model.mlp.3");
}

constexpr const char* kLeast = "vision.preproc_min_tiles";
constexpr const char* kMost = "vision.preproc_max_tiles";

struct TileCounts {
    uint32_t least, most;
};
Result<TileCounts> readTiles(const VisionFile& file) {
    INGLE_TRY_ASSIGN(const uint32_t least, file.keys.u32Or(kLeast, 1));
    INGLE_TRY_ASSIGN(const uint32_t most, file.keys.u32Or(kMost, 12));
    if (least == 0) return file.keys.cannotBe(kLeast, least);
    if (most < least || most > 64) return file.keys.cannotBe(kMost, most);
    return TileCounts{least, most};
}

/// All grids of so many tiles.
Result<std::vector<Size>> candidates(const VisionFile& file, const TileCounts& counts, uint32_t side) {
    const auto [least, most] = counts;
    std::vector<Size> found;
    for (uint32_t across = least; across <= most; ++across)
        for (uint32_t down = least; down <= most; ++down)
            if (across * down >= least && across * down <= most)
                found.push_back({across * side, down * side});
    if (found.empty()) return file.keys.cannotBe(kLeast, least);
    for (const Size size : found) INGLE_TRY(checkTiles(file, size));
    return found;
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(file.refuseTokens());
    INGLE_TRY(readMerge(file, "vision.projector.scale_factor", 2, spec));
    INGLE_TRY(readPositions(file, Positions::OfPatch, spec));
    spec.classToken = ClassToken::First;
    spec.normsByMean = spec.dim != kLargeDim || spec.numLayers != kLargeLayers;
    listTowerNorm(spec.projectorTensors, "mm.model.mlp.0", true, spec.joinedWidth());
    INGLE_TRY(listProjector(file, "mm.model.mlp.1", "mm.model.mlp.3", spec.joinedWidth(), spec.outDim, spec));
    spec.project = project;
    INGLE_TRY_ASSIGN(const TileCounts counts, readTiles(file));
    INGLE_TRY_ASSIGN(std::vector<Size> sizes, candidates(file, counts, spec.imageSize));
    INGLE_TRY_ASSIGN(const bool asTrained, file.resizesAsTrained());
    if (asTrained)
        spec.cutter = inNearestTiles(spec.imageSize, counts.least, counts.most, {}, {"<img>", "</img>"});
    else
        spec.cutter = inBestTiles(spec.imageSize, std::move(sizes), {}, {"<img>", "</img>"});
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .read = read};

}  // namespace ingle::vision::internvl_vision
