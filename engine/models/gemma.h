/// What Gemma 2 and 3 have in common.
#pragma once

#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models {

/// Embeddings scaled by the root of their width, GELU in the gate, branches normalised before and behind; and
/// scores divided, in the model of so many layers (27B), by the root of the width per head of a whole row,
/// which is not that of a head. Source: the models' published configurations (query_pre_attn_scalar is 144
/// and 168 there).
inline void makeGemma(DecoderSpec& spec, uint32_t layersOf27B) {
    spec.embeddingScale = std::sqrt(static_cast<float>(spec.facts.dim));
    for (LayerSpec& layer : spec.layers) {
        layer.norms.afterMixer = "post_attention_norm";
        layer.norms.afterFfn = "post_ffw_norm";
        std::get<FeedForwardSpec>(layer.ffn).activation = backend::ActivationKind::Gelu;
        AttentionSpec& attention = attentionOf(layer);
        if (spec.facts.numLayers == layersOf27B)
            attention.scale =
                1.0f / std::sqrt(static_cast<float>(spec.facts.dim) / static_cast<float>(attention.numHeads));
    }
}

}  // namespace ingle::models
