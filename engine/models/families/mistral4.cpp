/// Mistral Large 3: DeepSeek V3's layer. Source: the model's published configuration and code (Mistral AI,
/// 2025).
#include "engine/models/decoder.h"

namespace ingle::models::mistral4_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY_ASSIGN(const LatentAttentionSpec attention,
                     readLatentAttention(keys, spec, LatentQueries::Optional));
    INGLE_TRY_ASSIGN(const float temperature, keys.f32Or("attention.temperature_scale", 0));
    if (temperature != 0)
        return fail(ErrorCode::Unsupported, "{}: attention.temperature_scale {} is not supported",
                    keys.file().path, temperature);
    for (LayerSpec& layer : spec.layers) layer.mixer = attention;
    INGLE_TRY(readMixture(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("mistral4", sizes, metadata);
    synthesizeMixture("mistral4", sizes, metadata);
    synthesizeLatentAttention("mistral4", metadata);
    metadata.set("mistral4.attention.temperature_scale", 0.0);
}

}  // namespace

extern const ModelFamily family{.arch = "mistral4", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::mistral4_family
