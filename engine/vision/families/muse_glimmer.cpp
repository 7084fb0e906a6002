/// Muse Glimmer: windows as large as the table of positions, and rotary positions from 1 on. Source: the
/// model as published with transformers, models/muse_glimmer (2026).
#include <cmath>

#include "engine/vision/family.h"

namespace ingle::vision::muse_glimmer_vision {
namespace {

constexpr std::string_view kTypes[] = {"muse-glimmer"};
constexpr std::string_view kArchs[] = {"muse-glimmer"};
/// Every so many layers one sees all, and so does the last.
constexpr uint32_t kPeriod = 4;

graph::Value project(graph::Builder& b, const TowerSpec&, const models::Weights& w, graph::Value x) {
    using backend::ActivationKind;
    x = projectTwice(b, w, x, "mm.0", ActivationKind::GeluErf, "mm.1");
    return towerLinear(b, w, b.activation(x, ActivationKind::GeluErf, "mm.1_act"), "mm.2");
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(readMerge(file, "vision.spatial_merge_size", 2, spec));
    INGLE_TRY(readPositions(file, Positions::HalfPixels, spec));
    spec.activation = backend::ActivationKind::GeluErf;
    spec.rope = ropeByPairs(spec.headDim);
    TowerWindows windows{.side = static_cast<uint32_t>(std::lround(std::sqrt(spec.numPositions))),
                         .hasWindow = {}};
    for (uint32_t layer = 0; layer < spec.numLayers; ++layer)
        windows.hasWindow.push_back((layer + 1) % kPeriod != 0 && layer + 1 != spec.numLayers);
    spec.windows = std::move(windows);
    spec.join = Join::ChannelByChannel;
    const uint64_t width = file.rowsOf("mm.1.weight");
    INGLE_TRY(listProjector(file, "mm.0", "mm.1", spec.joinedWidth(), width, spec));
    listTowerLinear(spec.projectorTensors, "mm.2", width, spec.outDim);
    spec.needsLastNorm = true;
    spec.project = project;
    spec.cutter = inNearestGrid(spec.patch * spec.merge, file.tokensOr({1, 4096}).most,
                                {Filter::Lanczos, Fit::Stretched}, {"<|image_start|>", "<|image_end|>"});
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .archs = kArchs, .read = read};

}  // namespace ingle::vision::muse_glimmer_vision
