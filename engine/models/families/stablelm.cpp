/// StableLM 3B and StableLM 2: LayerNorm, rotary positions on a part of each head; the 12B model normalises
/// the heads of q and k, and its halves of a layer read the same norm. Source: Bellagente et al., "Stable LM
/// 2 1.6B Technical Report" (2024), section 2.2.
#include "engine/models/decoder.h"

namespace ingle::models::stablelm_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    // Files state the key, and not always rightly; the norm's absence decides.
    INGLE_TRY_ASSIGN(const bool stated, keys.boolOr("use_parallel_residual", true));
    const bool isParallel = stated && !keys.file().find(layerWeight(0, "ffn_norm.weight"));
    for (LayerSpec& layer : spec.layers) {
        if (isParallel) layer.norms.beforeFfn = {};
        attentionOf(layer).headNorm = HeadNormSpec{
            .kind = NormKind::Layer, .gain = HeadNormSpec::Gain::OfEachHead, .presence = Presence::Optional};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("stablelm", sizes, metadata, NormKind::Layer);
    metadata.set("stablelm.use_parallel_residual", false);
    metadata.set("stablelm.rope.dimension_count", int64_t{sizes.dim / sizes.numHeads / 4 / 2 * 2});
}

}  // namespace

extern const ModelFamily family{.arch = "stablelm", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::stablelm_family
