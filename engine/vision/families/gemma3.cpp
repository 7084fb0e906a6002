/// Gemma 3: SigLIP, whose rows are averaged. Source: Gemma Team, "Gemma 3 Technical Report" (2025), section
/// 2.1; Zhai et al., "Sigmoid Loss for Language Image Pre-Training" (2023).
#include "engine/vision/family.h"

namespace ingle::vision::gemma3_vision {
namespace {

using tensor::Shape;

constexpr std::string_view kTypes[] = {"gemma3"};
constexpr std::string_view kArchs[] = {"gemma3"};
constexpr const char* kNorm = "mm.soft_emb_norm";
constexpr const char* kProjection = "mm.input_projection.weight";

graph::Value project(graph::Builder& b, const TowerSpec& spec, const models::Weights& w, graph::Value x) {
    x = b.rmsNorm(x, w[fmt::format("{}.weight", kNorm)], spec.eps, kNorm);
    // The file holds the matrix turned.
    return b.headLinear(x, w[kProjection], {.numHeads = 1, .numRows = spec.dim, .turned = true}, "projected");
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(file.refuseTokens());
    INGLE_TRY(readMerge(file, "vision.projector.scale_factor", 4, spec));
    INGLE_TRY(readPositions(file, Positions::OfPatch, spec));
    spec.join = Join::Mean;
    listTowerNorm(spec.projectorTensors, kNorm, false, spec.dim);
    spec.projectorTensors.push_back({kProjection, Shape::of(spec.outDim, spec.dim)});
    spec.needsLastNorm = true;
    spec.project = project;
    INGLE_TRY_ASSIGN(const bool asTrained, file.resizesAsTrained());
    spec.cutter = inSquare(spec.imageSize, {Filter::Bilinear, asTrained ? Fit::Stretched : Fit::Padded},
                           {"<start_of_image>", "<end_of_image>"});
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .archs = kArchs, .read = read};

}  // namespace ingle::vision::gemma3_vision
