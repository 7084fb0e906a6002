/// Llama 4: tiles, rotary positions from 1 on, the class token last; rows go column by column. Source: the
/// model as published with transformers, models/llama4/modeling_llama4.py (2025).
#include "engine/vision/family.h"

namespace ingle::vision::llama4_vision {
namespace {

constexpr std::string_view kTypes[] = {"llama4"};
constexpr std::string_view kArchs[] = {"llama4"};
constexpr uint32_t kMostTiles = 3;

graph::Value project(graph::Builder& b, const TowerSpec&, const models::Weights& w, graph::Value x) {
    using backend::ActivationKind;
    x = projectTwice(b, w, x, "mm.model.mlp.1", ActivationKind::Gelu, "mm.model.mlp.2");
    return towerLinear(b, w, b.activation(x, ActivationKind::Gelu, "mlp_act"), "mm.model.fc");
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(file.refuseTokens());
    INGLE_TRY(readMerge(file, "vision.projector.scale_factor", 2, spec));
    INGLE_TRY(readPositions(file, Positions::OfPatch, spec));
    spec.classToken = ClassToken::Last;
    spec.rope = ropeByPairs(spec.headDim);
    spec.areColumnsFirst = true;
    const uint64_t width = file.rowsOf("mm.model.mlp.2.weight");
    INGLE_TRY(listProjector(file, "mm.model.mlp.1", "mm.model.mlp.2", spec.joinedWidth(), width, spec));
    listTowerLinear(spec.projectorTensors, "mm.model.fc", width, spec.outDim);
    spec.needsLastNorm = true;
    spec.project = project;
    std::vector<Size> candidates;
    for (uint32_t across = 1; across <= kMostTiles; ++across)
        for (uint32_t down = 1; down <= kMostTiles; ++down)
            if (across * down > 1) candidates.push_back({across * spec.imageSize, down * spec.imageSize});
    spec.cutter =
        inBestTiles(spec.imageSize, std::move(candidates), {}, {"<|image_start|>", "<|image_end|>"});
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .archs = kArchs, .read = read};

}  // namespace ingle::vision::llama4_vision
