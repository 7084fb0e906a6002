#include "engine/models/nemotron_hybrid.h"

#include "engine/models/limits.h"

namespace ingle::models {

Result<DecoderSpec> readNemotronHybrid(const Keys& keys, NemotronFeedForward kind) {
    INGLE_TRY_ASSIGN(
        DecoderSpec spec,
        readDecoder(keys, {.hasFfnFactors = true, .mayLackHeads = true, .mayLackFeedForward = true}));
    INGLE_TRY_ASSIGN(const MambaSpec mamba, readMamba(keys));
    for (LayerSpec& layer : spec.layers) {
        if (auto* ffn = std::get_if<FeedForwardSpec>(&layer.ffn)) {
            ffn->form = FeedForwardSpec::Form::Sequential;
            ffn->activation = backend::ActivationKind::SquaredRelu;
            layer.mixer = Nothing{};
            layer.norms.beforeMixer = {};
            layer.norms.beforeFfn = "attn_norm";
            continue;
        }
        layer.norms.beforeFfn = {};
        if (hasAttention(layer))
            attentionOf(layer).rope.reset();
        else
            layer.mixer = mamba;
    }
    if (kind == NemotronFeedForward::Dense) return spec;
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY_ASSIGN(const uint32_t latentDim, keys.u32Or("moe_latent_size", 0));
    if (latentDim > kMaxRowElems) return keys.cannotBe("moe_latent_size", latentDim);
    INGLE_TRY(readMixture(keys, spec,
                          {.scores = kernels::ExpertScores::Sigmoid,
                           .hasDenseLayers = false,
                           .shared = MixtureTraits::Shared::Both}));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        ExpertsSpec* experts = expertsOf(spec.layers[i]);
        if (!experts) continue;
        experts->isGated = false;
        experts->latentDim = latentDim;
        // No key tells which layers have experts.
        if (keys.file().find(layerWeight(i, "ffn_up.weight"))) spec.layers[i].ffn = dense[i].ffn;
    }
    return spec;
}

void synthesizeNemotronHybrid(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder(arch, sizes, metadata);
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("{}.{}", arch, key), std::move(value));
    };
    std::vector<int64_t> heads, widths;  // a feed-forward, attention, Mamba
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer) {
        heads.push_back(layer % 3 == 1 ? int64_t{sizes.numKvHeads} : 0);
        widths.push_back(layer % 3 == 0 ? int64_t{sizes.ffnDim} : 0);
    }
    set("attention.head_count_kv", heads);
    set("feed_forward_length", widths);
    set("ssm.conv_kernel", int64_t{4});
    set("ssm.state_size", int64_t{sizes.dim / sizes.numHeads});
    set("ssm.time_step_rank", int64_t{2 * sizes.numHeads});
    set("ssm.group_count", int64_t{1});
    set("ssm.inner_size", int64_t{2 * sizes.dim});
}

}  // namespace ingle::models
