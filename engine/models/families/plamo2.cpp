/// PLaMo 2: Mamba with one decay for each head, and attention where head_count_kv is not 0; what both halves
/// add is normalised, too. Source: Preferred Networks, "PLaMo 2 Technical Report" (2025), section 2.
#include <algorithm>

#include "engine/models/decoder.h"

namespace ingle::models::plamo2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.mayLackHeads = true}));
    PlamoMambaSpec mamba;
    INGLE_TRY_ASSIGN(const ChannelMambaSpec sizes, readChannelMamba(keys));
    mamba.kernel = sizes.kernel;
    mamba.stateSize = sizes.stateSize;
    mamba.numHeads = sizes.stepRank;
    mamba.headSize = sizes.inner / sizes.stepRank;
    mamba.stepRank = std::max(64U, spec.facts.dim / 16);
    if (sizes.inner % sizes.stepRank != 0) return keys.cannotBe("ssm.inner_size", sizes.inner);
    for (LayerSpec& layer : spec.layers) {
        layer.norms.afterMixer = "post_attention_norm";
        layer.norms.afterFfn = "post_ffw_norm";
        std::get<FeedForwardSpec>(layer.ffn).form = FeedForwardSpec::Form::GatedFused;
        if (hasAttention(layer)) {
            attentionOf(layer).projections = AttentionSpec::Projections::Fused;
            attentionOf(layer).hasQkvFactors = false;
            attentionOf(layer).headNorm = HeadNormSpec{.gain = HeadNormSpec::Gain::OfEachHead};
        } else {
            layer.mixer = mamba;
        }
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("plamo2", sizes, metadata);
    synthesizeChannelMamba("plamo2", sizes, metadata);
    metadata.set("plamo2.ssm.time_step_rank", int64_t{sizes.numHeads});
    std::vector<int64_t> heads;
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer)
        heads.push_back(int64_t{layer % 3 == 1 ? sizes.numKvHeads : 0});
    metadata.set("plamo2.attention.head_count_kv", heads);
}

}  // namespace

extern const ModelFamily family{.arch = "plamo2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::plamo2_family
