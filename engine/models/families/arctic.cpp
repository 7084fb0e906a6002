/// Arctic: experts that read the layer's input beside the whole layer. Source: the model's published
/// configuration and code (Snowflake, 2024).
#include "engine/models/decoder.h"

namespace ingle::models::arctic_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY(readExperts(keys, spec));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        ExpertsSpec* experts = expertsOf(spec.layers[i]);
        if (!experts) return keys.cannotBe("expert_count", 0);
        auto beside = std::get<FeedForwardSpec>(dense[i].ffn);
        beside.dim = spec.facts.dim;
        spec.layers[i].ffn = FeedForwardBesideExpertsSpec{
            .dense = beside, .experts = *experts, .expertsNorm = "ffn_norm_exps"};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("arctic", sizes, metadata);
    synthesizeExperts("arctic", sizes, metadata, 4);
}

}  // namespace

extern const ModelFamily family{.arch = "arctic", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::arctic_family
