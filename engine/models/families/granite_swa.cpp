/// Granite with windows and sinks. Source: the model's published configuration and code (IBM, 2026).
#include "engine/models/granite.h"

namespace ingle::models::granite_swa_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY(readGraniteScales(keys, spec));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 0));
    INGLE_TRY(readWindows(keys, spec, windowed));
    std::vector<uint32_t> areRotated(spec.facts.numLayers, 1);
    if (keys.isArray("attention.rope_pattern")) {
        INGLE_TRY_ASSIGN(areRotated, keys.perLayer("attention.rope_pattern", spec.facts.numLayers));
    }
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY_ASSIGN(const uint32_t sharedDim, readSharedExpertDim(keys));
    if (sharedDim > 0 && std::holds_alternative<ExpertsSpec>(spec.layers[0].ffn))
        return fail(ErrorCode::Unsupported, "{}: an expert for every row is not supported in this family",
                    keys.file().path);
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        attentionOf(spec.layers[i]).hasSinks = true;
        if (!areRotated[i]) attentionOf(spec.layers[i]).rope.reset();
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeGranite("granite_swa", sizes, metadata);
    metadata.set("granite_swa.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("granite_swa.attention.sliding_window_pattern", int64_t{2});
    metadata.set("granite_swa.attention.rope_pattern",
                 std::vector<int64_t>(sizes.numLayers, sizes.numLayers > 1 ? 1 : 0));
    metadata.set("granite_swa.expert_shared_feed_forward_length", int64_t{0});
    synthesizeExperts("granite_swa", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "granite_swa", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::granite_swa_family
