/// Jamba: Mamba, and attention without positions where head_count_kv is not 0; experts where a layer has a
/// router, else a feed-forward. Source: Lieber et al., "Jamba: A Hybrid Transformer-Mamba Language Model"
/// (2024), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::jamba_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.mayLackHeads = true}));
    INGLE_TRY_ASSIGN(ChannelMambaSpec mamba, readChannelMamba(keys));
    mamba.norms = ChannelMambaSpec::Norms::Gained;
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY(readExperts(keys, spec));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        if (hasAttention(layer))
            attentionOf(layer).rope.reset();
        else
            layer.mixer = mamba;
        // No key tells which layers have experts.
        if (keys.file().find(layerWeight(i, "ffn_gate.weight"))) layer.ffn = dense[i].ffn;
        if (ExpertsSpec* experts = expertsOf(layer)) experts->rule.renormalise = false;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("jamba", sizes, metadata);
    synthesizeChannelMamba("jamba", sizes, metadata);
    synthesizeExperts("jamba", sizes, metadata);
    std::vector<int64_t> heads;
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer)
        heads.push_back(int64_t{layer % 3 == 1 ? sizes.numKvHeads : 0});
    metadata.set("jamba.attention.head_count_kv", heads);
}

}  // namespace

extern const ModelFamily family{.arch = "jamba", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::jamba_family
