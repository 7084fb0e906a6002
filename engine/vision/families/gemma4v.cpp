/// Gemma 4: norms behind each branch, rotary halves of heads, rows that are averaged and scaled. Source: the
/// model as published with transformers, models/gemma4/modeling_gemma4.py (2026).
#include <cmath>

#include "engine/vision/family.h"

namespace ingle::vision::gemma4v_vision {
namespace {

using graph::Value;
using tensor::Shape;

constexpr std::string_view kTypes[] = {"gemma4v"};
constexpr std::string_view kArchs[] = {"gemma4"};

Value project(graph::Builder& b, const TowerSpec& spec, const models::Weights& w, Value x) {
    x = b.scale(x, std::sqrt(static_cast<float>(spec.dim)), "scaled");
    const tensor::Tensor* bias = w["v.std_bias"];
    const tensor::Tensor* factors = w["v.std_scale"];
    if (bias) x = b.add(x, b.scale(b.embedPosition(bias, "std_bias"), -1, "minus_std_bias"), "centred");
    if (factors) x = b.multiply(x, b.embedPosition(factors, "std_scale"), "standardised");
    return towerLinear(b, w, b.rmsNorm(x, nullptr, spec.eps, "normed"), "mm.input_projection");
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(readMerge(file, "vision.projector.scale_factor", 3, spec));
    INGLE_TRY(readPositions(file, Positions::ByAxis, spec));
    spec.join = Join::Mean;
    spec.pixelScale = 2;
    spec.pixelOffset = -1;
    spec.normsByMean = false;
    spec.hasHeadNorms = spec.hasBranchNorms = spec.hasLayerScales = true;
    spec.attentionScale = 1.0F;
    // Files state none; the model's own code has this one.
    spec.activation = backend::ActivationKind::Gelu;
    spec.rope = TowerRope{.style = backend::RopeStyle::HalfSplit,
                          .frequencies = ropeFrequencies(100, spec.headDim / 2, spec.headDim / 4),
                          .axes = {},
                          .isOfHalves = true};
    for (const char* name : {"v.std_bias", "v.std_scale"})  // read as tables of one row
        spec.projectorTensors.push_back(
            {name, Shape::of(spec.dim), backend::WeightUse::Matrix, models::Presence::Optional});
    listTowerLinear(spec.projectorTensors, "mm.input_projection", spec.dim, spec.outDim);
    spec.project = project;
    const uint32_t unit = spec.patch * spec.merge;
    INGLE_TRY_ASSIGN(const PictureTokens tokens, file.tokensOr({70, 1120}, unit));
    INGLE_TRY_ASSIGN(const bool asTrained, file.resizesAsTrained());
    UnitSizes sizes{unit, tokens};
    if (asTrained) sizes.rule = SizeRule::Filled;
    spec.cutter = inUnits(sizes, {.fit = asTrained ? Fit::Stretched : Fit::Padded}, {"<|image>", "<image|>"});
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .archs = kArchs, .read = read};

}  // namespace ingle::vision::gemma4v_vision
