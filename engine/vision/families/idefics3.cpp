/// Idefics3 and SmolVLM: SigLIP over tiles. Source: Laurençon et al., "Building and better understanding
/// vision-language models" (2024); Marafioti et al., "SmolVLM" (2025).
#include "engine/vision/family.h"

namespace ingle::vision::idefics3_vision {
namespace {

constexpr std::string_view kTypes[] = {"idefics3"};
constexpr const char* kProjection = "mm.model.fc";
/// On a side; the models have four.
constexpr uint32_t kMostTiles = 16;
constexpr const char* kLongest = "vision.preproc_image_size";

graph::Value project(graph::Builder& b, const TowerSpec&, const models::Weights& w, graph::Value x) {
    return towerLinear(b, w, x, kProjection);
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(file.refuseTokens());
    INGLE_TRY(readMerge(file, "vision.projector.scale_factor", 4, spec));
    INGLE_TRY(readPositions(file, Positions::OfPatch, spec));
    INGLE_TRY_ASSIGN(const uint32_t longest, file.keys.u32(kLongest));
    INGLE_TRY(checkTiles(file, {longest, longest}));
    if (longest < spec.imageSize || longest / spec.imageSize > kMostTiles)
        return file.keys.cannotBe(kLongest, longest);
    listTowerLinear(spec.projectorTensors, kProjection, spec.joinedWidth(), spec.outDim);
    spec.needsLastNorm = true;
    spec.project = project;
    spec.cutter = inIdeficsTiles(spec.imageSize, longest, {Filter::Lanczos, Fit::Stretched});
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .read = read};

}  // namespace ingle::vision::idefics3_vision
