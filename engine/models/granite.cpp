#include "engine/models/granite.h"

namespace ingle::models {

Status readGraniteScales(const Keys& keys, DecoderSpec& spec, const GraniteScales& usual) {
    INGLE_TRY_ASSIGN(const float embedding, keys.f32Or("embedding_scale", 0));
    INGLE_TRY_ASSIGN(const float residual, keys.f32Or("residual_scale", 0));
    INGLE_TRY_ASSIGN(const float scores, keys.f32Or("attention.scale", 0));
    INGLE_TRY_ASSIGN(const float logits, keys.f32Or("logit_scale", 0));
    spec.embeddingScale = embedding != 0 ? embedding : usual.embedding;
    spec.logitScale = 1 / (logits != 0 ? logits : usual.logits);
    for (LayerSpec& layer : spec.layers) {
        layer.residualScale = residual != 0 ? residual : usual.residual;
        if (scores != 0 && hasAttention(layer)) attentionOf(layer).scale = scores;
    }
    return {};
}

Result<DecoderSpec> readRotatedGranite(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY(readGraniteScales(keys, spec));
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY_ASSIGN(const uint32_t sharedDim, readSharedExpertDim(keys));
    for (LayerSpec& layer : spec.layers) {
        if (ExpertsSpec* experts = expertsOf(layer)) experts->sharedDim = sharedDim;
    }
    return spec;
}

Result<DecoderSpec> readGranite(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readRotatedGranite(keys));
    INGLE_TRY_ASSIGN(const bool isRotated, keys.boolOr("rope.scaling.finetuned", true));
    if (isRotated) return spec;
    for (LayerSpec& layer : spec.layers) attentionOf(layer).rope.reset();
    return spec;
}

void synthesizeGranite(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder(arch, sizes, metadata);
    synthesizeExperts(arch, sizes, metadata);
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("{}.{}", arch, key), std::move(value));
    };
    set("attention.scale", 0.125);
    set("rope.scaling.finetuned", true);
    set("embedding_scale", 12.0);
    set("residual_scale", 0.22);
    set("logit_scale", 6.0);
    set("expert_shared_feed_forward_length", int64_t{sizes.ffnDim});
}

}  // namespace ingle::models
