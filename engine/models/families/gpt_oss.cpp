/// gpt-oss: every other layer sees a window, attention has sinks, and experts, all with biases, gate with a
/// clamped function. Source: OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::gpt_oss_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 2));
    INGLE_TRY(readWindows(keys, spec, windowed));
    for (LayerSpec& layer : spec.layers) {
        layer.norms.beforeFfn = "post_attention_norm";
        AttentionSpec& attention = attentionOf(layer);
        attention.hasSinks = true;
        attention.qkvBias = attention.outputBias = Presence::Required;
        ExpertsSpec* experts = expertsOf(layer);
        if (!experts) return keys.cannotBe("expert_count", 0);
        experts->rule.scores = kernels::ExpertScores::SoftmaxOfChosen;
        experts->rule.renormalise = false;
        experts->hasBiases = true;
        experts->gluLimit = 7;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("gpt-oss", sizes, metadata);
    synthesizeExperts("gpt-oss", sizes, metadata, 4);
    metadata.set("gpt-oss.expert_feed_forward_length", int64_t{sizes.ffnDim});
    metadata.set("gpt-oss.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("gpt-oss.attention.sliding_window_pattern", int64_t{2});
}

}  // namespace

extern const ModelFamily family{.arch = "gpt-oss", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::gpt_oss_family
