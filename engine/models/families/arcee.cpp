/// AFM 4.5B: Llama's layer with a squared ReLU in place of the gate. Source: Arcee AI, the model as
/// published with transformers, src/transformers/models/arcee/modeling_arcee.py (2025).
#include "engine/models/decoder.h"

namespace ingle::models::arcee_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY_ASSIGN(const float scale, keys.f32Or("attention.scale", 0));  // 0: as usual
    for (LayerSpec& layer : spec.layers) {
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = backend::ActivationKind::SquaredRelu;
        if (scale != 0) attentionOf(layer).scale = scale;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("arcee", sizes, metadata);
    metadata.set("arcee.attention.scale", 0.2);
}

}  // namespace

extern const ModelFamily family{.arch = "arcee", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::arcee_family
