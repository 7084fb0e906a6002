/// Pixtral and Mistral Small 3: rotary positions, and a row at the end of each line. Source: Agrawal et al.,
/// "Pixtral 12B" (2024), section 2.
#include "engine/vision/family.h"

namespace ingle::vision::pixtral_vision {
namespace {

constexpr std::string_view kTypes[] = {"pixtral"};
constexpr const char* kNorm = "mm.input_norm";
constexpr const char* kMerger = "mm.patch_merger";

graph::Value project(graph::Builder& b, const TowerSpec& spec, const models::Weights& w, graph::Value x) {
    if (spec.merge > 1) x = towerLinear(b, w, x, kMerger);
    return projectTwice(b, w, x, "mm.1", backend::ActivationKind::Gelu, "mm.2");
}

TowerRope rope(uint32_t headDim) {
    const uint32_t quarter = headDim / 4;
    TowerRope rope{.style = backend::RopeStyle::Interleaved, .frequencies = {}, .axes = {}};
    for (const uint8_t axis : {kLineAxis, kColumnAxis}) {
        const double first = axis == kLineAxis ? 0 : 1;
        const std::vector<double> frequencies = ropeFrequencies(10000, headDim, quarter, first, 2);
        rope.frequencies.insert(rope.frequencies.end(), frequencies.begin(), frequencies.end());
        rope.axes.insert(rope.axes.end(), quarter, axis);
    }
    return rope;
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(readMerge(file, "vision.spatial_merge_size", 1, spec));
    spec.normsByMean = false;
    spec.rope = rope(spec.headDim);
    if (spec.merge > 1) {
        spec.lastNorm = kNorm;
        spec.needsLastNorm = true;
        listTowerLinear(spec.projectorTensors, kMerger, spec.joinedWidth(), spec.dim);
    }
    spec.join = Join::ChannelByChannel;
    INGLE_TRY(listProjector(file, "mm.1", "mm.2", spec.dim, spec.outDim, spec));
    spec.lineEnd = "v.token_embd.img_break";
    spec.project = project;
    spec.cutter = inUnits({spec.patch * spec.merge, file.tokensOr({8, 1024})}, {}, {"", "[IMG_END]"});
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .read = read};

}  // namespace ingle::vision::pixtral_vision
