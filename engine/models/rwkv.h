/// What RWKV models have in common: metadata, the frame around the layers, states, channel mixing.
/// Source: Peng et al., "RWKV: Reinventing RNNs for the Transformer Era" (2023) and "Eagle and Finch: RWKV
/// with Matrix-Valued States and Dynamic Recurrence" (2024).
#pragma once

#include <functional>

#include "engine/models/family.h"

namespace ingle::models {

/// Reads and checks sizes and norm epsilons of "<arch>.*" (GGUF keys). Errors: Corrupt.
Result<ModelConfig> readRwkvConfig(const formats::ModelFile& file);
/// Adds head_size, and the group norm's epsilon, of the versions whose states are matrices. Errors: Corrupt.
Status readRwkvHeads(const formats::ModelFile& file, ModelConfig& config);
/// A positive inner width of a low-rank projection: "<arch>.<key>". Errors: Corrupt.
Result<uint32_t> readLowRank(const formats::ModelFile& file, std::string_view arch, std::string_view key);

/// The reverse, for made-up models; heads included.
void synthesizeRwkv(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata);

/// Embedding, norms, head, and for each layer its two norms and what `layerTensors(config, layer)` lists,
/// with names as in "blk.N.<name>".
std::vector<TensorSpec> rwkvTensors(const ModelConfig& config,
                                    std::vector<TensorSpec> (*layerTensors)(const ModelConfig& config,
                                                                            uint32_t layer));

/// States: for each layer the inputs of the previous token, of time mixing and of channel mixing …
uint32_t timeShiftState(uint32_t layer);
uint32_t channelShiftState(uint32_t layer);
backend::MemorySpec rwkvShiftMemory(const ModelConfig& config);
/// … and after them each layer's matrices, one [headSize, headSize] per head.
backend::MemorySpec rwkvMatrixMemory(const ModelConfig& config);
/// The matrices' index, and their sizes.
backend::WkvParams wkvParams(const ModelConfig& config, uint32_t layer);

/// A half of a layer over its normed input x: [numTokens, dim]; returns [numTokens, dim].
using LayerHalf = std::function<graph::Value(uint32_t layer, graph::Value x)>;

/// The whole pass:  h = LN(embed);  h += timeMix(LN h);  h += channelMix(LN h);  logits = W LN(h).
void buildRwkv(graph::Builder& builder, const ModelConfig& config, const Weights& weights,
               const LayerHalf& timeMix, const LayerHalf& channelMix);

/// Channel mixing up to RWKV-6:  sigmoid(R xr) * V relu(K xk)^2, where xk and xr lie between `from` and `to`
/// as far as channel_mix_lerp_k and _r say.
graph::Value receptanceChannelMix(graph::Builder& builder, const Weights& weights, uint32_t layer,
                                  graph::Value from, graph::Value to);

/// Group norm of the heads' outputs, with time_mix_ln.
graph::Value normHeads(graph::Builder& builder, const ModelConfig& config, const Weights& weights,
                       uint32_t layer, graph::Value y);

}  // namespace ingle::models
