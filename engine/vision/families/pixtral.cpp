/// Pixtral and Mistral Small 3: rotary positions, and a row at the end of each line. Source: Agrawal et al.,
/// "Pixtral 12B" (2024), section 2.
#include "engine/vision/family.h"

namespace ingle::vision::pixtral_vision {
namespace {

constexpr std::string_view kTypes[] = {"pixtral"};
constexpr const char* kNorm = "mm.input_norm";
constexpr const char* kMerger = "mm.patch_merger";
constexpr uint64_t kMostUnits = 256;  // on a side

graph::Value project(graph::Builder& b, const TowerSpec& spec, const models::Weights& w, graph::Value x) {
    if (spec.merge > 1) x = towerLinear(b, w, x, kMerger);
    return projectTwice(b, w, x, "mm.1", spec.projectorActivation, "mm.2");
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
    // As the model's own code has it; other files hold the rows of pairs beside each other.
    INGLE_TRY_ASSIGN(const bool ofHalves, file.keys.boolOr("vision.rotary_halves", false));
    if (ofHalves) spec.rope->style = backend::RopeStyle::HalfSplit;
    if (spec.merge > 1) {
        spec.lastNorm = kNorm;
        spec.needsLastNorm = true;
        listTowerLinear(spec.projectorTensors, kMerger, spec.joinedWidth(), spec.dim);
    }
    spec.join = Join::ChannelByChannel;
    INGLE_TRY(listProjector(file, "mm.1", "mm.2", spec.dim, spec.outDim, spec));
    spec.lineEnd = "v.token_embd.img_break";
    spec.project = project;
    UnitSizes sizes{spec.patch * spec.merge, file.tokensOr({8, 1024})};
    INGLE_TRY_ASSIGN(sizes.longest, file.keys.u32Or("vision.preproc_longest_edge", 0));
    if (sizes.longest == 0) {
        spec.cutter = inUnits(sizes, {}, {"", "[IMG_END]"});
        return {};
    }
    // Its own limits leave more than others do.
    const uint64_t units = (sizes.longest + uint64_t{sizes.unit} - 1) / sizes.unit;
    if (units > kMostUnits) return file.keys.cannotBe("vision.preproc_longest_edge", sizes.longest);
    sizes.tokens = file.tokensOr({1, static_cast<uint32_t>(units * units)});
    sizes.rule = SizeRule::Covered;
    spec.cutter = inUnits(sizes, {.fit = Fit::Stretched}, {"", "[IMG_END]"});
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .read = read};

}  // namespace ingle::vision::pixtral_vision
