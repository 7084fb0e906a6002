/// What transformer decoders have in common: metadata, weights, cache, and the two halves of a layer.
#pragma once

#include "engine/models/family.h"

namespace ingle::models {

/// Reads and checks sizes, heads, experts, norm and RoPE of a decoder from "<arch>.*" (GGUF keys); which of
/// the two epsilons is there says which norm it is. Errors: Corrupt; Unsupported for other rope scalings than
/// readRopeFrequencies() knows.
Result<ModelConfig> readDecoderConfig(const formats::ModelFile& file);

/// The reverse, for made-up models.
void synthesizeDecoder(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata,
                       NormKind norm = NormKind::Rms);

/// Weights of a pre-norm decoder with SwiGLU, or with a mixture of such experts; `qkvBias` says whether q, k
/// and v have biases.
std::vector<TensorSpec> decoderTensors(const ModelConfig& config, Presence qkvBias);

/// A key/value cache in every layer.
backend::MemorySpec decoderMemory(const ModelConfig& config);

/// Causal grouped-query attention with rotary positions over x: [numTokens, dim]; returns Wo attn,
/// [numTokens, dim]. Source: Su et al., "RoFormer" (2021); Ainslie et al., "GQA" (2023).
graph::Value rotaryAttention(graph::Builder& builder, const ModelConfig& config, const Weights& weights,
                             uint32_t layer, graph::Value x, backend::RopeStyle style);

/// Wdown( silu(Wgate x) * (Wup x) ).  Source: Shazeer, "GLU Variants Improve Transformer" (2020), eq. 6.
graph::Value swiGlu(graph::Builder& builder, const Weights& weights, uint32_t layer, graph::Value x);

/// sum_e p_e swiGlu_e(x) over the experts that the router's softmax finds likeliest, their shares divided by
/// their sum.  Source: Jiang et al., "Mixtral of Experts" (2024), section 2.1.
graph::Value mixtureOfExperts(graph::Builder& builder, const ModelConfig& config, const Weights& weights,
                              uint32_t layer, graph::Value x);

/// The whole pass of a pre-norm decoder:  h += attn(N1 h);  h += ffn(N2 h);  logits = Wout Nfinal h, with
/// swiGlu or mixtureOfExperts as ffn. With parallel residuals:  n = N1 h;  h += attn(n) + ffn(n).
void buildPreNormDecoder(graph::Builder& builder, const ModelConfig& config, const Weights& weights,
                         backend::RopeStyle style);

/// Weight name of a layer: "blk.3.attn_q.weight".
std::string layerWeight(uint32_t layer, std::string_view name);

}  // namespace ingle::models
