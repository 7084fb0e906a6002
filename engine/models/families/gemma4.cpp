/// Gemma 4: Gemma 3's layers, of which those with a window have heads of another size; values are normalised
/// and may be the keys; the last layers may read the keys and values of others; every layer may have an
/// embedding of its own, and experts beside its feed-forward. Source: the model as published with
/// transformers, src/transformers/models/gemma4/modeling_gemma4.py (2026).
#include <algorithm>
#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models::gemma4_family {
namespace {

/// All layers' embeddings of a token together.
constexpr uint64_t kMaxOwnElems = 1 << 20;

/// The last layers have no keys and values: they read those of the last layer of their kind before them.
Status readSharing(const Keys& keys, DecoderSpec& spec, const std::vector<bool>& windowed) {
    constexpr std::string_view kKey = "attention.shared_kv_layers";
    INGLE_TRY_ASSIGN(const uint32_t numShared, keys.u32Or(kKey, 0));
    if (numShared == 0) return {};
    const uint32_t numLayers = spec.facts.numLayers;
    if (numShared >= numLayers || numLayers - numShared < 2) return keys.cannotBe(kKey, numShared);
    const uint32_t own = numLayers - numShared;
    if (windowed[own - 1] || !windowed[own - 2]) return keys.cannotBe(kKey, numShared);
    for (uint32_t i = own; i < numLayers; ++i) {
        AttentionSpec& attention = attentionOf(spec.layers[i]);
        attention.cacheOf = windowed[i] ? own - 2 : own - 1;
        if (attentionOf(spec.layers[*attention.cacheOf]).numKvHeads != attention.numKvHeads)
            return keys.cannotBe(kKey, numShared);
    }
    return {};
}

/// Experts beside the feed-forward of every layer, if the file has any.
Status readSideBySide(const Keys& keys, DecoderSpec& spec) {
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    for (size_t i = 0; i < spec.layers.size(); ++i) {
        ExpertsSpec* experts = expertsOf(spec.layers[i]);
        if (!experts) continue;
        experts->hasFactors = true;
        spec.layers[i].ffn = FeedForwardAndExpertsSpec{std::get<FeedForwardSpec>(dense[i].ffn), *experts};
    }
    return {};
}

/// The small models (E2B, E4B) see the rows of pictures one after the other as they do tokens. GGUF files
/// tell it by nothing but the width; folders state it.
Result<bool> seesPicturesInOrder(const Keys& keys, uint32_t dim) {
    return keys.boolOr("attention.pictures_in_order", dim == 1536 || dim == 2560);
}

/// Files of models whose full layers have no values of their own lack the matrix.
bool hasValues(const Keys& keys, uint32_t layer) {
    return keys.file().find(layerWeight(layer, "attn_v.weight")) ||
           keys.file().find(layerWeight(layer, "attn_qkv.weight"));
}

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 6));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY(readWindowedHeads(keys, spec, windowed));
    INGLE_TRY_ASSIGN(spec.logitCap, keys.f32Or("final_logit_softcapping", 0));
    INGLE_TRY_ASSIGN(const uint32_t ownDim, keys.u32Or("embedding_length_per_layer_input", 0));
    if (uint64_t{ownDim} * spec.facts.numLayers > kMaxOwnElems)
        return keys.cannotBe("embedding_length_per_layer_input", ownDim);
    INGLE_TRY(readSharing(keys, spec, windowed));
    spec.embeddingScale = std::sqrt(static_cast<float>(spec.facts.dim));
    INGLE_TRY_ASSIGN(const bool inOrder, seesPicturesInOrder(keys, spec.facts.dim));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        layer.norms.afterMixer = "post_attention_norm";
        layer.norms.afterFfn = "post_ffw_norm";
        layer.ownEmbedding = ownDim;
        layer.hasOutputScale = true;
        std::get<FeedForwardSpec>(layer.ffn).activation = backend::ActivationKind::Gelu;
        AttentionSpec& attention = attentionOf(layer);
        attention.scale = 1;
        attention.headNorm = HeadNormSpec{};
        attention.normsValues = true;
        if (windowed[i] && !inOrder) attention.mask = backend::Mask::Picture;
        if (windowed[i] || attention.cacheOf || hasValues(keys, i)) continue;
        attention.projections = AttentionSpec::Projections::ValuesAreKeys;
        if (attention.valueDim != attention.keyDim)
            return keys.cannotBe("attention.value_length", attention.valueDim);
    }
    INGLE_TRY(readSideBySide(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    // Both kinds of layers, and both kinds of such that read them.
    const uint32_t numLayers = std::max(sizes.numLayers, 4u);
    SynthSizes all = sizes;
    all.numLayers = numLayers + numLayers % 2;
    synthesizeDecoder("gemma4", all, metadata);
    synthesizeExperts("gemma4", sizes, metadata, 4);
    const int64_t headDim = sizes.dim / sizes.numHeads;
    metadata.set("gemma4.expert_feed_forward_length", int64_t{sizes.ffnDim});
    metadata.set("gemma4.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("gemma4.attention.sliding_window_pattern", int64_t{2});
    metadata.set("gemma4.attention.key_length", 2 * headDim);
    metadata.set("gemma4.attention.value_length", 2 * headDim);
    metadata.set("gemma4.attention.key_length_swa", headDim);
    metadata.set("gemma4.attention.value_length_swa", headDim);
    metadata.set("gemma4.attention.shared_kv_layers", int64_t{2});
    metadata.set("gemma4.rope.dimension_count", 2 * headDim);
    metadata.set("gemma4.rope.dimension_count_swa", headDim);
    metadata.set("gemma4.rope.freq_base", 1e6);
    metadata.set("gemma4.rope.freq_base_swa", 1e4);
    metadata.set("gemma4.final_logit_softcapping", 30.0);
    metadata.set("gemma4.embedding_length_per_layer_input", int64_t{std::min(sizes.dim, 256u)});
}

}  // namespace

extern const ModelFamily family{.arch = "gemma4", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::gemma4_family
