/// Mamba and Falcon Mamba: nothing but its mixer in a layer. Source: Gu & Dao, "Mamba: Linear-Time Sequence
/// Modeling with Selective State Spaces" (2023), section 3.
#include "engine/models/decoder.h"

namespace ingle::models::mamba_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.mayLackHeads = true, .mayLackFeedForward = true}));
    INGLE_TRY_ASSIGN(ChannelMambaSpec mamba, readChannelMamba(keys));
    INGLE_TRY_ASSIGN(const bool isNormed, keys.boolOr("ssm.dt_b_c_rms", false));
    if (isNormed) mamba.norms = ChannelMambaSpec::Norms::Bare;
    INGLE_TRY_ASSIGN(mamba.normEps, keys.f32Or("ssm.dt_b_c_rms_epsilon", 0));  // 0: as of the layers
    for (LayerSpec& layer : spec.layers) {
        layer.mixer = mamba;
        layer.ffn = Nothing{};
        layer.norms.beforeFfn = {};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("mamba", sizes, metadata);
    synthesizeChannelMamba("mamba", sizes, metadata);
    metadata.set("mamba.ssm.dt_b_c_rms", true);
    metadata.set("mamba.ssm.dt_b_c_rms_epsilon", 1e-5);
}

}  // namespace

extern const ModelFamily family{.arch = "mamba", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::mamba_family
