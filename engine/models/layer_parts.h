/// What the parts of a decoder's layers (attention.cpp, feed_forward.cpp) have in common: how they list their
/// weights and write their ops.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/models/decoder.h"

namespace ingle::models {

/// Rows that lie among others in a file: of a tensor of `numRows`, from `firstRow` on; of experts, the same
/// of each.
struct RowsOf {
    std::string_view name;  ///< without ".weight" or ".bias"
    uint64_t numRows = 0;
    uint64_t firstRow = 0;
    bool usually = false;  ///< usually so, else possibly
};

/// Whether a bias belongs behind the factor of its matrix or before it.
enum class BiasOrder : uint8_t { BehindFactor, BeforeFactor };

/// What is done with the factor of a matrix that a file may hold.
enum class Factors : uint8_t { Used, LeftAlone };

inline Factors factorsOf(const auto& spec) {
    return spec.hasFactors ? Factors::Used : Factors::LeftAlone;
}

/// The weights of one layer.
class LayerTensors {
  public:
    LayerTensors(std::vector<TensorSpec>& specs, uint32_t layer, uint32_t dim)
        : m_specs(specs), m_layer(layer), m_dim(dim) {}

    uint32_t dim() const { return m_dim; }
    void vector(std::string_view name, const tensor::Shape& shape, Presence presence = Presence::Required);
    void matrix(std::string_view name, const tensor::Shape& shape);
    void norm(std::string_view name, NormKind kind) { norm(name, kind, m_dim); }
    void norm(std::string_view name, NormKind kind, uint64_t dim);
    /// "<name>.weight" of out × in, "<name>.bias", and the factor "<name>.scale" where there is one.
    void linear(std::string_view name, uint64_t in, uint64_t out, Presence bias, BiasOrder order,
                const RowsOf* rows = nullptr);

    /// "<name>.weight" of a short convolution, which files may hold as {kernel, 1, width}.
    void convolution(std::string_view name, uint64_t kernel, uint64_t width);
    /// A table of one row of these numbers.
    void made(std::string_view name, const std::vector<float>& numbers);
    /// exp_probs_b, optional.
    void choiceBias(uint64_t numExperts);
    /// As many such matrices, biases and factors as there are experts, each kind in one tensor.
    void experts(std::string_view name, uint64_t in, uint64_t out, const ExpertsSpec& spec,
                 const RowsOf* rows = nullptr);

  private:
    /// "<name><suffix>", under that name or among the rows of another.
    TensorSpec& add(std::string_view name, std::string_view suffix, TensorSpec spec, const RowsOf* rows);

    std::vector<TensorSpec>& m_specs;
    uint32_t m_layer;
    uint32_t m_dim;
};

/// One layer being written.
struct LayerBuilder {
    graph::Builder& b;
    const Weights& weights;
    uint32_t layer = 0;
    float normEps = 0;
    uint32_t cacheLayer = 0;     ///< index into MemorySpec::kv
    uint32_t firstState = 0;     ///< index into MemorySpec::states
    graph::Value residual = {};  ///< what the half's norm reads
    graph::Value input = {};     ///< what the layer reads

    const tensor::Tensor* w(std::string_view name) const { return weights[layerWeight(layer, name)]; }
    /// What LayerTensors::linear() lists; `trace` names the value.
    graph::Value linear(graph::Value x, std::string_view name, std::string_view trace,
                        Factors factors = Factors::Used) const;
    /// What LayerTensors::experts() lists, of the experts that `routing` names.
    graph::Value experts(graph::Value x, graph::Value routing, std::string_view name, std::string_view trace,
                         Factors factors) const;
};

void listTensors(const AttentionSpec& spec, LayerTensors& tensors);
void listMemory(const AttentionSpec& spec, backend::MemorySpec& memory);
graph::Value mix(const AttentionSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const LatentAttentionSpec& spec, LayerTensors& tensors);
void listMemory(const LatentAttentionSpec& spec, backend::MemorySpec& memory);
graph::Value mix(const LatentAttentionSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const GatedDeltaSpec& spec, LayerTensors& tensors);
void listMemory(const GatedDeltaSpec& spec, backend::MemorySpec& memory);
graph::Value mix(const GatedDeltaSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const MambaSpec& spec, LayerTensors& tensors);
void listMemory(const MambaSpec& spec, backend::MemorySpec& memory);
graph::Value mix(const MambaSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const ChannelMambaSpec& spec, LayerTensors& tensors);
void listMemory(const ChannelMambaSpec& spec, backend::MemorySpec& memory);
graph::Value mix(const ChannelMambaSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const PlamoMambaSpec& spec, LayerTensors& tensors);
void listMemory(const PlamoMambaSpec& spec, backend::MemorySpec& memory);
graph::Value mix(const PlamoMambaSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const ChannelDeltaSpec& spec, LayerTensors& tensors);
void listMemory(const ChannelDeltaSpec& spec, backend::MemorySpec& memory);
graph::Value mix(const ChannelDeltaSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const AttentionAndMambaSpec& spec, LayerTensors& tensors);
void listMemory(const AttentionAndMambaSpec& spec, backend::MemorySpec& memory);
graph::Value mix(const AttentionAndMambaSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const ShortConvSpec& spec, LayerTensors& tensors);
void listMemory(const ShortConvSpec& spec, backend::MemorySpec& memory);
graph::Value mix(const ShortConvSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const FeedForwardSpec& spec, LayerTensors& tensors);
graph::Value feedForward(const FeedForwardSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const ExpertsSpec& spec, LayerTensors& tensors);
graph::Value feedForward(const ExpertsSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const FeedForwardAndExpertsSpec& spec, LayerTensors& tensors);
graph::Value feedForward(const FeedForwardAndExpertsSpec& spec, const LayerBuilder& layer, graph::Value x);

void listTensors(const FeedForwardBesideExpertsSpec& spec, LayerTensors& tensors);
graph::Value feedForward(const FeedForwardBesideExpertsSpec& spec, const LayerBuilder& layer, graph::Value x);

/// Of a half that is not there: nothing, and not the value either.
inline void listTensors(const Nothing&, LayerTensors&) {}
inline void listMemory(const Nothing&, backend::MemorySpec&) {}
inline graph::Value mix(const Nothing&, const LayerBuilder&, graph::Value) {
    return {};
}
inline graph::Value feedForward(const Nothing&, const LayerBuilder&, graph::Value) {
    return {};
}

/// Embeddings of the tokens for each layer, `width` wide: the weights of all of them, [numTokens, numLayers *
/// width] made of them and of h, the embedding that the first layer reads …
void listOwnEmbeddings(const DecoderSpec& spec, uint32_t width, std::vector<TensorSpec>& tensors);
graph::Value ownEmbeddings(graph::Builder& builder, const DecoderSpec& spec, const Weights& weights,
                           uint32_t width, graph::Value h);
/// … and what a layer does with its own: the residual after it.
void listOwnEmbedding(uint32_t width, LayerTensors& tensors);
graph::Value withOwnEmbedding(const LayerBuilder& layer, uint32_t width, graph::Value embeddings,
                              graph::Value h);

/// Where a layer stands.
struct LayerPlace {
    uint32_t layer = 0;       ///< its number in the file
    uint32_t cacheLayer = 0;  ///< index into MemorySpec::kv
    uint32_t firstState = 0;  ///< index into MemorySpec::states
};
/// A layer's weights …
void listLayer(const DecoderSpec& spec, const LayerSpec& layer, uint32_t number,
               std::vector<TensorSpec>& specs);
/// … and the residual after it. `ownEmbeddings`: of all layers, where the layer has one.
graph::Value buildLayer(graph::Builder& builder, const DecoderSpec& spec, const Weights& weights,
                        const LayerSpec& layer, const LayerPlace& place, graph::Value h,
                        graph::Value ownEmbeddings = {});
/// The end of a forward pass: logits of n, the normalised residual. `bias` may be null.
void buildLogits(graph::Builder& builder, const DecoderSpec& spec, const tensor::Tensor* table,
                 const tensor::Tensor* bias, graph::Value n);

/// The weights of norm().
void listNorm(std::vector<TensorSpec>& specs, const std::string& name, NormKind kind, uint64_t dim);
/// x: [numTokens, dim]; "<name>.weight" and "<name>.bias", if the kind has them.
graph::Value norm(graph::Builder& builder, const Weights& weights, NormKind kind, float eps, graph::Value x,
                  const std::string& name, std::string_view trace);

}  // namespace ingle::models
