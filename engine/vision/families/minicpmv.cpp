/// MiniCPM-V: SigLIP, whose rows learned queries read (2.5 to 4.5), or are merged twice (4.6). Source: Yao et
/// al., "MiniCPM-V: A GPT-4V Level MLLM on Your Phone" (2024), section 3.1, and OpenBMB's published code.
#include "engine/models/limits.h"
#include "engine/vision/family.h"

namespace ingle::vision::minicpmv_vision {
namespace {

constexpr std::string_view kTypes[] = {"resampler", "minicpmv4_6"};
constexpr uint32_t kHeadDim = 128;
constexpr const char* kEarly = "vision.wa_layer_indexes";

graph::Value project(graph::Builder& b, const TowerSpec& spec, const models::Weights& w, graph::Value x) {
    x = towerNorm(b, w, true, spec.eps, x, "mm.input_norm");
    return projectTwice(b, w, x, "mm.up", backend::ActivationKind::GeluErf, "mm.down");
}

Status readResampler(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY_ASSIGN(const uint32_t version, file.keys.u32Or("minicpmv_version", 2));
    INGLE_TRY_ASSIGN(const uint32_t numQueries, file.keys.u32Or("minicpmv_query_num", 64));
    if (numQueries == 0 || numQueries > (1 << 12))
        return file.keys.cannotBe("minicpmv_query_num", numQueries);
    if (spec.outDim % kHeadDim != 0) return file.keys.cannotBe("vision.projection_dim", spec.outDim);
    spec.resampler = ResamplerSpec{numQueries, kHeadDim};
    spec.cutter = inSlices(spec.imageSize, spec.patch, SmallBy::Sides, {},
                           version == 2 ? SliceMarks::AllTogether : SliceMarks::EachSlice);
    return {};
}

Status readMerges(const VisionFile& file, TowerSpec& spec) {
    constexpr const char* kScale = "vision.projector.scale_factor";
    INGLE_TRY_ASSIGN(const uint32_t scale, file.keys.u32Or(kScale, 4));
    if (scale != 2 && scale != 4) return file.keys.cannotBe(kScale, scale);
    if (scale == 4) {
        INGLE_TRY_ASSIGN(const std::vector<uint32_t> layers, file.keys.numbers(kEarly));
        if (layers.size() != 1 || layers[0] >= spec.numLayers)
            return file.keys.cannotBe(kEarly, layers.size());
        const uint64_t ffnDim = file.rowsOf("v.vit_merger.ds_ffn_up.weight");
        if (ffnDim == 0 || ffnDim > models::kMaxRowElems)
            return fail(ErrorCode::Corrupt, "{}: the tensor v.vit_merger.ds_ffn_up.weight has {} rows",
                        file.file().path, ffnDim);
        spec.earlyMerge = EarlyMerge{layers[0], static_cast<uint32_t>(ffnDim)};
    }
    spec.merge = 2;
    listTowerNorm(spec.projectorTensors, "mm.input_norm", true, spec.joinedWidth());
    INGLE_TRY(listProjector(file, "mm.up", "mm.down", spec.joinedWidth(), spec.outDim, spec));
    spec.project = project;
    spec.cutter = inSlices(spec.imageSize, spec.patch * scale, scale == 2 ? SmallBy::Area : SmallBy::Sides,
                           {}, SliceMarks::EachSlice);
    return {};
}

Status read(const VisionFile& file, TowerSpec& spec) {
    INGLE_TRY(file.refuseTokens());
    INGLE_TRY(readPositions(file, Positions::Buckets, spec));
    spec.needsLastNorm = true;
    return spec.type == "resampler" ? readResampler(file, spec) : readMerges(file, spec);
}

}  // namespace

extern const VisionFamily vision{.types = kTypes, .read = read};

}  // namespace ingle::vision::minicpmv_vision
