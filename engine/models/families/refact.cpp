/// Refact: Llama's layer with biases that grow with the distance in place of positions. Source: the model's
/// published configuration and code (Small Magellanic Cloud AI, 2023).
#include "engine/models/decoder.h"

namespace ingle::models::refact_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(const uint32_t numExperts, keys.u32Or("expert_count", 0));
    if (numExperts > 0)
        return fail(ErrorCode::Unsupported, "{}: experts are not supported in this family", keys.file().path);
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    for (LayerSpec& layer : spec.layers) {
        std::get<FeedForwardSpec>(layer.ffn).bias = Presence::Unused;
        AttentionSpec& attention = attentionOf(layer);
        attention.outputBias = Presence::Unused;
        attention.rope.reset();
        attention.alibiSlopes = alibiSlopes(attention.numHeads, 8);
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("refact", sizes, metadata);
    metadata.set("refact.expert_count", int64_t{0});
}

}  // namespace

extern const ModelFamily family{.arch = "refact", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::refact_family
