/// Qwen3-VL, Qwen3.5 and later: learned positions and rotary ones; rows of earlier layers go to the text
/// model as well (DeepStack). Source: transformers, models/qwen3_vl/modeling_qwen3_vl.py (2025).
#include "engine/vision/family.h"

namespace ingle::vision::qwen3vl_vision {
namespace {

using graph::Value;

constexpr std::string_view kTypes[] = {"qwen3vl_merger"};
constexpr std::string_view kArchs[] = {"qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe"};

std::string stackName(uint32_t layers, std::string_view part) {
    return fmt::format("v.deepstack.{}.{}", layers - 1, part);
}

Value project(graph::Builder& b, const TowerSpec& spec, const models::Weights& w, Value x) {
    const uint32_t patches = spec.merge * spec.merge;
    const auto rowsOf = [&](uint32_t kind) {
        return b.slice(x, {patches, kind * spec.dim, spec.dim}, fmt::format("rows_{}", kind));
    };
    Value all = projectTwice(b, w, rowsOf(0), "mm.0", spec.projectorActivation, "mm.2");
    for (uint32_t i = 0; i < spec.features.size(); ++i) {
        const auto name = [&](std::string_view part) { return stackName(spec.features[i], part); };
        const Value normed = towerNorm(b, w, true, spec.eps, rowsOf(i + 1), name("norm"));
        const Value made = projectTwice(b, w, normed, name("fc1"), spec.projectorActivation, name("fc2"));
        all = b.concat(all, made, 1, name("beside"));
    }
    return all;
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(readMerge(file, "vision.spatial_merge_size", 2, spec));
    INGLE_TRY(readPositions(file, Positions::AlignedCorners, spec));
    spec.numFrames = 2;
    spec.rope = ropeByHalves(spec.headDim);
    const uint64_t joined = uint64_t{spec.merge} * spec.merge * spec.dim;
    INGLE_TRY(listProjector(file, "mm.0", "mm.2", joined, spec.outDim, spec));
    for (uint32_t layers = 1; layers <= spec.numLayers; ++layers) {
        if (!file.has(stackName(layers, "fc1.weight"))) continue;
        spec.features.push_back(layers);
        listTowerNorm(spec.projectorTensors, stackName(layers, "norm"), true, joined);
        INGLE_TRY(listProjector(file, stackName(layers, "fc1"), stackName(layers, "fc2"), joined, spec.outDim,
                                spec));
    }
    spec.outDim *= 1 + static_cast<uint32_t>(spec.features.size());
    spec.needsLastNorm = true;
    spec.project = project;
    spec.hasGrid = true;
    INGLE_TRY_ASSIGN(spec.cutter,
                     inQwenUnits(file, spec.patch * spec.merge, {"<|vision_start|>", "<|vision_end|>"}));
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .archs = kArchs, .read = read};

}  // namespace ingle::vision::qwen3vl_vision
