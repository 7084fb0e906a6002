/// Qwen2-VL and Qwen2.5-VL: rotary positions only; in the second most layers see windows of 112 × 112 pixels.
/// Source: Wang et al., "Qwen2-VL" (2024), section 2.1; Qwen team, "Qwen2.5-VL Technical Report" (2025).
#include "engine/vision/family.h"

namespace ingle::vision::qwen2vl_vision {
namespace {

constexpr std::string_view kTypes[] = {"qwen2vl_merger", "qwen2.5vl_merger"};
constexpr std::string_view kArchs[] = {"qwen2vl"};
constexpr uint32_t kWindowPixels = 112;

graph::Value project(graph::Builder& b, const TowerSpec& spec, const models::Weights& w, graph::Value x) {
    return projectTwice(b, w, x, "mm.0", spec.projectorActivation, "mm.2");
}

/// Every n-th layer sees all.
Status readWindows(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY_ASSIGN(const uint32_t period, file.keys.u32Or("vision.n_wa_pattern", 0));
    if (period == 0) return {};
    TowerWindows windows{.side = kWindowPixels / spec.patch / spec.merge * spec.merge, .hasWindow = {}};
    if (windows.side == 0) return file.keys.cannotBe("vision.patch_size", spec.patch);
    for (uint32_t layer = 0; layer < spec.numLayers; ++layer)
        windows.hasWindow.push_back((layer + 1) % period != 0);
    spec.windows = std::move(windows);
    return {};
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(readMerge(file, "vision.spatial_merge_size", 2, spec));
    spec.numFrames = 2;
    spec.rope = ropeByHalves(spec.headDim);
    if (spec.type == "qwen2.5vl_merger") {
        spec.normsByMean = false;
        INGLE_TRY(readWindows(file, spec));
    }
    INGLE_TRY(listProjector(file, "mm.0", "mm.2", spec.joinedWidth(), spec.outDim, spec));
    spec.needsLastNorm = true;
    spec.project = project;
    spec.hasGrid = true;
    INGLE_TRY_ASSIGN(spec.cutter,
                     inQwenUnits(file, spec.patch * spec.merge, {"<|vision_start|>", "<|vision_end|>"}));
    return {};
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .archs = kArchs, .read = read};

}  // namespace ingle::vision::qwen2vl_vision
