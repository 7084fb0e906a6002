/// Ministral 3 and Mistral Small 3: Llama's layer, YaRN by keys of its own, and queries that grow with the
/// position. Source: the model as published with transformers,
/// src/transformers/models/ministral3/modeling_ministral3.py.
#include "engine/models/decoder.h"

namespace ingle::models::mistral3_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved,
                                                          .hasFfnFactors = true}));
    INGLE_TRY(readExperts(keys, spec));
    const uint32_t trained = spec.facts.trainedContext;
    INGLE_TRY_ASSIGN(const float fast, keys.f32Or("rope.scaling.yarn_beta_fast", 32));
    INGLE_TRY_ASSIGN(const float slow, keys.f32Or("rope.scaling.yarn_beta_slow", 1));
    INGLE_TRY_ASSIGN(const float multiplier, keys.f32Or("rope.scaling.yarn_log_multiplier", 0));
    INGLE_TRY_ASSIGN(const float temperature, keys.f32Or("attention.temperature_scale", 0));
    INGLE_TRY_ASSIGN(const uint32_t original, keys.u32Or("rope.scaling.original_context_length", trained));
    if (!(fast > 0)) return keys.cannotBe("rope.scaling.yarn_beta_fast", fast);
    if (!(slow > 0)) return keys.cannotBe("rope.scaling.yarn_beta_slow", slow);
    if (temperature != 0 && original == 0)
        return keys.cannotBe("rope.scaling.original_context_length", original);
    for (LayerSpec& layer : spec.layers) {
        AttentionSpec& attention = attentionOf(layer);
        RopeFrequencies& frequencies = attention.rope->frequencies;
        const auto dims = 2 * static_cast<uint32_t>(frequencies.perPair.size());
        INGLE_TRY_ASSIGN(frequencies, readRopeFrequencies(keys, dims, trained, {fast, slow, multiplier}));
        attention.temperature = temperature;
        attention.temperatureLength = original;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("mistral3", sizes, metadata);
    synthesizeExperts("mistral3", sizes, metadata);
    metadata.set("mistral3.rope.scaling.yarn_beta_fast", 32.0);
    metadata.set("mistral3.rope.scaling.yarn_beta_slow", 1.0);
    metadata.set("mistral3.rope.scaling.yarn_log_multiplier", 1.0);
    metadata.set("mistral3.attention.temperature_scale", 0.1);
    metadata.set("mistral3.rope.scaling.original_context_length", int64_t{sizes.context / 8});
}

}  // namespace

extern const ModelFamily family{.arch = "mistral3", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::mistral3_family
