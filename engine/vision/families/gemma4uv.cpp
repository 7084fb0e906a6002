/// Gemma 4 without a tower: patches of pixels are normalised, placed and projected. Source: the model as
/// published with transformers, models/gemma4/modeling_gemma4.py (2026).
#include "engine/vision/family.h"

namespace ingle::vision::gemma4uv_vision {
namespace {

constexpr std::string_view kTypes[] = {"gemma4uv"};
constexpr std::string_view kArchs[] = {"gemma4"};

graph::Value project(graph::Builder& b, const TowerSpec& spec, const models::Weights& w, graph::Value x) {
    return towerLinear(b, w, b.rmsNorm(x, nullptr, spec.eps, "normed"), "mm.input_projection");
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(readMerge(file, "vision.projector.scale_factor", 3, spec));
    spec.patch *= spec.merge;
    spec.merge = 1;
    spec.numLayers = 0;
    INGLE_TRY(readPositions(file, Positions::ByAxis, spec));
    spec.normsPatches = true;
    spec.positionNorm = "v.patch_norm.3";
    spec.positionNormEps = 1e-5F;
    listTowerLinear(spec.projectorTensors, "mm.input_projection", spec.dim, spec.outDim);
    spec.project = project;
    spec.cutter = inUnits({spec.patch, file.tokensOr({70, 1120})}, {}, {"<|image>", "<image|>"});
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .archs = kArchs, .read = read};

}  // namespace ingle::vision::gemma4uv_vision
