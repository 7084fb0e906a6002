/// What RWKV models have in common: metadata, the frame around the layers, states, channel mixing.
/// Source: Peng et al., "RWKV: Reinventing RNNs for the Transformer Era" (2023) and "Eagle and Finch: RWKV
/// with Matrix-Valued States and Dynamic Recurrence" (2024).
#pragma once

#include <functional>

#include "engine/models/family.h"

namespace ingle::models {

/// What all versions state. Each has a structure of its own that adds to this.
struct RwkvConfig {
    ModelFacts facts;
    uint32_t ffnDim = 0;
    float normEps = 0;
    uint32_t rescaleEvery = 0;  ///< the hidden state is halved after so many layers; 0: never

    // Of the versions whose states are matrices.
    uint32_t numHeads = 0;
    uint32_t headSize = 0;
    float groupNormEps = 0;

    bool areAlike(uint32_t, uint32_t) const { return true; }
    void keepLayers(std::span<const uint32_t> kept) { facts.numLayers = static_cast<uint32_t>(kept.size()); }
};

/// Reads and checks sizes and norm epsilons. Errors: Corrupt.
Status readRwkv(const Keys& keys, RwkvConfig& config);
/// Adds head_size, and the group norm's epsilon, of the versions whose states are matrices. Errors: Corrupt.
Status readRwkvHeads(const Keys& keys, RwkvConfig& config);
/// A positive inner width of a low-rank projection. Errors: Corrupt.
Result<uint32_t> readLowRank(const Keys& keys, std::string_view key);

/// The reverse, for made-up models; heads included.
void synthesizeRwkv(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata);

/// Embedding, norms, head, and for each layer its two norms and what `layerTensors(layer)` lists, with names
/// as in "blk.N.<name>".
std::vector<TensorSpec> rwkvTensors(const RwkvConfig& config,
                                    const std::function<std::vector<TensorSpec>(uint32_t)>& layerTensors);

/// States: for each layer the inputs of the previous token, of time mixing and of channel mixing …
uint32_t timeShiftState(uint32_t layer);
uint32_t channelShiftState(uint32_t layer);
backend::MemorySpec rwkvShiftMemory(const RwkvConfig& config);
/// … and after them each layer's matrices, one [headSize, headSize] per head.
backend::MemorySpec rwkvMatrixMemory(const RwkvConfig& config);
/// The matrices' index, and their sizes.
backend::WkvParams wkvParams(const RwkvConfig& config, uint32_t layer);

/// A half of a layer over its normed input x: [numTokens, dim]; returns [numTokens, dim].
using LayerHalf = std::function<graph::Value(uint32_t layer, graph::Value x)>;

/// The whole pass:  h = LN(embed);  h += timeMix(LN h);  h += channelMix(LN h);  logits = W LN(h).
void buildRwkv(graph::Builder& builder, const RwkvConfig& config, const Weights& weights,
               const LayerHalf& timeMix, const LayerHalf& channelMix);

/// Channel mixing up to RWKV-6:  sigmoid(R xr) * V relu(K xk)^2, where xk and xr lie between `from` and `to`
/// as far as channel_mix_lerp_k and _r say.
graph::Value receptanceChannelMix(graph::Builder& builder, const Weights& weights, uint32_t layer,
                                  graph::Value from, graph::Value to);

/// Group norm of the heads' outputs, with time_mix_ln.
graph::Value normHeads(graph::Builder& builder, const RwkvConfig& config, const Weights& weights,
                       uint32_t layer, graph::Value y);

/// ModelFamily::open of the version whose configuration `read` fills.
template <class Config, Status (*read)(const Keys&, Config&),
          std::vector<TensorSpec> (*tensors)(const Config&), backend::MemorySpec (*memory)(const Config&),
          void (*build)(graph::Builder&, const Config&, const Weights&)>
Result<std::shared_ptr<const ModelDefinition>> openRwkv(const Keys& keys) {
    Config config;
    INGLE_TRY(read(keys, config));
    return std::make_shared<const Definition<Config, tensors, memory, build>>(std::move(config));
}

}  // namespace ingle::models
