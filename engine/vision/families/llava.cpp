/// LLaVA 1.5 and 1.6: CLIP, whose class token comes first. Source: Liu et al., "Visual Instruction Tuning"
/// (2023) and "LLaVA-NeXT" (2024); Radford et al., "Learning Transferable Visual Models" (2021).
#include <algorithm>

#include "engine/vision/family.h"

namespace ingle::vision::llava_vision {
namespace {

constexpr std::string_view kTypes[] = {"mlp"};
constexpr const char* kPinpoints = "vision.image_grid_pinpoints";
constexpr const char* kFeatures = "vision.feature_layer";
constexpr const char* kNewline = "model.image_newline";
constexpr const char* kShortest = "vision.preproc_shortest_edge";
constexpr uint32_t kMostEnlarged = 8;
constexpr uint32_t kMostCandidates = 1024;
/// The mean colour that CLIP was trained with.
constexpr Colour kPadding{122, 116, 104};

graph::Value project(graph::Builder& b, const TowerSpec& spec, const models::Weights& w, graph::Value x) {
    if (!w["mm.2.weight"]) return towerLinear(b, w, x, "mm.0");
    return projectTwice(b, w, x, "mm.0", spec.projectorActivation, "mm.2");
}

/// The layers whose rows are read instead of the last one's.
Status readFeatures(const VisionFile& file, TowerSpec& spec) {
    if (!file.keys.isArray(kFeatures)) return {};
    INGLE_TRY_ASSIGN(spec.features, file.keys.numbers(kFeatures));
    std::ranges::sort(spec.features);
    spec.features.erase(std::unique(spec.features.begin(), spec.features.end()), spec.features.end());
    if (spec.features.empty()) return {};
    if (spec.features.back() > spec.numLayers) return file.keys.cannotBe(kFeatures, spec.features.back());
    spec.numLayers = spec.features.back();
    spec.readsLastLayer = false;
    return {};
}

Result<std::vector<Size>> candidates(const VisionFile& file, uint32_t side) {
    INGLE_TRY_ASSIGN(const std::vector<uint32_t> numbers, file.keys.numbers(kPinpoints));
    if (numbers.empty() || numbers.size() % 2 != 0 || numbers.size() > kMostCandidates)
        return file.keys.cannotBe(kPinpoints, numbers.size());
    std::vector<Size> found;
    for (size_t i = 0; i < numbers.size(); i += 2) {
        found.push_back({numbers[i], numbers[i + 1]});
        INGLE_TRY(checkTiles(file, found.back()));
        for (const uint32_t length : {numbers[i], numbers[i + 1]})
            if (length % side != 0) return file.keys.cannotBe(kPinpoints, length);
    }
    return found;
}

Status read(const VisionFile& file, TowerSpec& spec) {
    if (file.has("mm.3.weight"))
        return fail(ErrorCode::Unsupported, "{}: projectors of the type \"mlp_norm\" are not supported",
                    file.file().path);
    INGLE_TRY(file.refuseTokens());
    INGLE_TRY(readPositions(file, Positions::OfPatch, spec));
    if (file.has("v.class_embd")) spec.classToken = ClassToken::First;
    INGLE_TRY(readFeatures(file, spec));
    if (file.has("mm.2.weight")) {
        INGLE_TRY(listProjector(file, "mm.0", "mm.2", spec.joinedWidth(), spec.outDim, spec));
    } else {
        listTowerLinear(spec.projectorTensors, "mm.0", spec.joinedWidth(), spec.outDim);
    }
    spec.project = project;
    INGLE_TRY_ASSIGN(const uint32_t shortest, file.keys.u32Or(kShortest, 0));
    if (shortest > 0) {
        if (shortest < spec.imageSize || shortest / spec.imageSize > kMostEnlarged)
            return file.keys.cannotBe(kShortest, shortest);
        spec.cutter = inMiddle(spec.imageSize, shortest, {}, {});
        return {};
    }
    if (!file.keys.isArray(kPinpoints)) {
        spec.cutter = inSquare(spec.imageSize, {.padding = kPadding}, {});
        return {};
    }
    INGLE_TRY_ASSIGN(std::vector<Size> sizes, candidates(file, spec.imageSize));
    // llama.cpp leaves the ends of lines out.
    INGLE_TRY_ASSIGN(spec.packsTiles, file.resizesAsTrained());
    if (spec.packsTiles) spec.lineEnd = kNewline;
    spec.cutter = inBestTiles(spec.imageSize, std::move(sizes), {}, {},
                              spec.packsTiles ? Overview::First : Overview::Last);
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .read = read};

}  // namespace ingle::vision::llava_vision
