/// DeciLM, Llama Nemotron: Llama's layer with heads and widths of its own for each layer, some of which lack
/// attention, its heads, or the feed-forward. Source: Bercovich et al., "Puzzle: Distillation-Based NAS for
/// Inference-Optimized LLMs" (2024), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::deci_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved,
                                                          .mayLackHeads = true,
                                                          .mayLackFeedForward = true}));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        if (std::holds_alternative<Nothing>(layer.ffn)) layer.norms.beforeFfn = {};
        if (hasAttention(layer)) continue;
        if (attentionOf(layer).numHeads > 0)
            return fail(ErrorCode::Unsupported,
                        "{}: layer {} has heads that read nothing, which is not supported", keys.file().path,
                        i);
        layer.norms.beforeMixer = {};
        layer.mixer = Nothing{};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("deci", sizes, metadata);
    std::vector<int64_t> heads, keyHeads, widths;  // a whole layer, and one without its mixer or feed-forward
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer) {
        heads.push_back(layer % 3 == 1 ? 0 : int64_t{sizes.numHeads});
        keyHeads.push_back(layer % 3 == 1 ? 0 : int64_t{sizes.numKvHeads});
        widths.push_back(layer % 3 == 2 ? 0 : int64_t{sizes.ffnDim});
    }
    metadata.set("deci.attention.head_count", heads);
    metadata.set("deci.attention.head_count_kv", keyHeads);
    metadata.set("deci.feed_forward_length", widths);
}

}  // namespace

extern const ModelFamily family{.arch = "deci", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::deci_family
