/// Qwen 1: q, k and v in one matrix with a bias, and a feed-forward that is half as wide as the key says.
/// Source: Bai et al., "Qwen Technical Report" (2023), section 2.3.
#include "engine/models/decoder.h"

namespace ingle::models::qwen_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    for (LayerSpec& layer : spec.layers) {
        AttentionSpec& attention = attentionOf(layer);
        attention.projections = AttentionSpec::Projections::FusedWide;
        attention.qkvBias = Presence::Required;
        uint32_t& dim = std::get<FeedForwardSpec>(layer.ffn).dim;
        if (dim < 2) return keys.cannotBe("feed_forward_length", dim);
        dim /= 2;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen", sizes, metadata);
    metadata.set("qwen.feed_forward_length", int64_t{2} * sizes.ffnDim);
}

}  // namespace

extern const ModelFamily family{.arch = "qwen", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen_family
