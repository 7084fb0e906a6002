/// LFM2-VL: SigLIP 2 at the picture's own proportions, large ones in tiles. Source: Liquid AI, "LFM2
/// Technical Report" (2025); Tschannen et al., "SigLIP 2" (2025), section 2.4.
#include "engine/vision/family.h"

namespace ingle::vision::lfm2vl_vision {
namespace {

constexpr std::string_view kTypes[] = {"lfm2"};
constexpr std::string_view kArchs[] = {"lfm2", "lfm2moe"};
constexpr const char* kNorm = "mm.input_norm";
constexpr float kNormEps = 1e-5F;

graph::Value project(graph::Builder& b, const TowerSpec&, const models::Weights& w, graph::Value x) {
    if (w[fmt::format("{}.weight", kNorm)]) x = towerNorm(b, w, true, kNormEps, x, kNorm);
    return projectTwice(b, w, x, "mm.1", backend::ActivationKind::Gelu, "mm.2");
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(readMerge(file, "vision.projector.scale_factor", 2, spec));
    INGLE_TRY(readPositions(file, Positions::Averaged, spec));
    listTowerNorm(spec.projectorTensors, kNorm, true, spec.joinedWidth(), models::Presence::Optional);
    INGLE_TRY(listProjector(file, "mm.1", "mm.2", spec.joinedWidth(), spec.outDim, spec));
    spec.needsLastNorm = true;
    spec.project = project;
    spec.cutter = inLfmTiles({spec.patch * spec.merge, file.tokensOr({64, 256}), Rounding::ToEven},
                             {Filter::Bilinear, Fit::Stretched});
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .archs = kArchs, .read = read};

}  // namespace ingle::vision::lfm2vl_vision
