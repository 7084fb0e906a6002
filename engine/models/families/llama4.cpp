/// Llama 4: three layers of four see chunks and are rotated, and normalise the rotated heads; the others
/// sharpen the queries of far tokens; every n-th layer has experts whose shares weigh what they read.
/// Source: the model as published with transformers, src/transformers/models/llama4/modeling_llama4.py
/// (2025).
#include "engine/models/decoder.h"

namespace ingle::models::llama4_family {
namespace {

// Constants of all its models, which no key tells.
constexpr uint32_t kChunk = 8192;
constexpr float kTemperature = 0.1F;
constexpr uint32_t kExpertsOfMaverick = 128;  // whose heads are not normalised

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY_ASSIGN(const uint32_t expertCount, keys.u32Or("expert_count", 0));
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    INGLE_TRY_ASSIGN(const uint32_t step, keys.u32("interleave_moe_layer_step"));
    if (step == 0) return keys.cannotBe("interleave_moe_layer_step", step);
    INGLE_TRY_ASSIGN(const uint32_t stated, keys.u32Or("attention.sliding_window", kChunk));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        if ((i + 1) % step != 0) layer.ffn = dense[i].ffn;
        AttentionSpec& attention = attentionOf(layer);
        const bool isChunked = stated != 0 && (i + 1) % 4 != 0;
        ExpertsSpec* experts = expertsOf(layer);
        if (isChunked) attention.chunk = kChunk;
        if (stated == 0 || isChunked) {
            if (expertCount != kExpertsOfMaverick)
                attention.headNorm = HeadNormSpec{.gain = HeadNormSpec::Gain::None, .isAfterRotation = true};
        } else {
            attention.rope.reset();
            attention.temperature = kTemperature;
            attention.temperatureLength = kChunk;
            attention.temperatureFirst = 1;
        }
        if (!experts) continue;
        experts->sharedDim = experts->dim;
        experts->isWeighedFirst = true;
        experts->rule.scores = kernels::ExpertScores::Sigmoid;
        experts->rule.renormalise = false;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("llama4", sizes, metadata);
    synthesizeExperts("llama4", sizes, metadata, 4);
    metadata.set("llama4.expert_feed_forward_length", int64_t{sizes.ffnDim});
    metadata.set("llama4.interleave_moe_layer_step", int64_t{2});
    metadata.set("llama4.attention.sliding_window", int64_t{kChunk});
}

}  // namespace

extern const ModelFamily family{.arch = "llama4", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::llama4_family
