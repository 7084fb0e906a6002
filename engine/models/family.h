/// Model families. One file per family: engine/models/families/<name>.cpp defines `extern const ModelFamily
/// <name>_family`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/memory.h"
#include "engine/formats/model_file.h"
#include "engine/graph/builder.h"
#include "engine/models/rope_scaling.h"

namespace ingle::models {

/// Which norm a decoder uses for rows and heads.
enum class NormKind : uint8_t {
    Rms,
    Layer,  ///< with bias on rows, without on heads
};

/// Inner widths of RWKV's low-rank projections.
struct LowRanks {
    uint32_t mix = 0;    ///< RWKV-6: data-dependent token shift
    uint32_t decay = 0;  ///< RWKV-6 and 7
    uint32_t rate = 0;   ///< RWKV-7: in-context learning rate
    uint32_t value = 0;  ///< RWKV-7: value residual
    uint32_t gate = 0;   ///< RWKV-7
};

/// Hyper-parameters of every family, read from metadata. A family uses the part it knows.
struct ModelConfig {
    std::string arch;
    uint32_t numLayers = 0;
    uint32_t dim = 0;
    uint32_t ffnDim = 0;
    uint32_t vocabSize = 0;
    uint32_t trainedContext = 0;  ///< 0: not stated, or without meaning
    float normEps = 0;
    NormKind norm = NormKind::Rms;
    bool parallelResidual = false;  ///< attention and feed-forward read the same norm

    // Mixture of experts; 0: dense.
    uint32_t numExperts = 0;
    uint32_t numExpertsUsed = 0;

    // Attention.
    uint32_t numHeads = 0;
    uint32_t numKvHeads = 0;
    uint32_t headDim = 0;
    uint32_t ropeDims = 0;
    RopeFrequencies rope;

    // Recurrence.
    uint32_t headSize = 0;
    float groupNormEps = 0;
    bool hasGate = false;       ///< RWKV 5.2
    bool fusedMix = false;      ///< RWKV-6: the five mixing shares lie in one tensor
    uint32_t rescaleEvery = 0;  ///< the hidden state is halved after so many layers; 0: never
    LowRanks ranks;

    bool tiedOutput = false;  ///< logits use the embedding table
};

enum class Presence : uint8_t { Required, Optional };

/// What a quantiser may do to a weight.
enum class Precision : uint8_t {
    Any,
    Float,  ///< small and sensitive: stays a float format
};

/// A weight a family reads. Names are GGUF's.
struct TensorSpec {
    std::string name;
    tensor::Shape shape;
    backend::WeightUse use = backend::WeightUse::Matrix;
    Presence presence = Presence::Required;
    Precision precision = Precision::Any;
    /// The weight is read as so many equal parts along its slowest dimension, see Weights::part().
    uint32_t numParts = 1;
};

/// The checked weights of a file, by name.
class Weights {
  public:
    /// Finds every tensor of the list. Errors: Corrupt (a required one is missing, or a shape differs).
    static Result<Weights> bind(const formats::ModelFile& file, std::span<const TensorSpec> specs);

    /// Null for an optional tensor that is not there. The name must be in the family's list.
    const tensor::Tensor* operator[](std::string_view name) const;
    /// Part `index` of a weight with several; same rules.
    const tensor::Tensor* part(std::string_view name, uint32_t index) const;
    uint64_t totalBytes() const;

    /// The first two layers, since the first may compute other things than those behind it, and then those
    /// that have a weight whose name, format or shape no layer before them has.
    std::vector<uint32_t> layersOfEachKind() const;
    /// Those of `layers`, numbered anew, and those of no layer.
    Weights withLayers(std::span<const uint32_t> layers) const;

  private:
    using Parts = std::shared_ptr<const std::vector<tensor::Tensor>>;  ///< copies have the same addresses

    std::map<std::string, const tensor::Tensor*, std::less<>> m_tensors;
    std::map<std::string, Parts, std::less<>> m_parts;
};

/// Sizes of a model made up for tests and benchmarks.
struct SynthSizes {
    uint32_t dim = 64;
    uint32_t ffnDim = 160;
    uint32_t numLayers = 2;
    uint32_t numHeads = 4;
    uint32_t numKvHeads = 2;
    uint32_t vocabSize = 320;
    uint32_t context = 256;
    uint32_t numExperts = 0;
    uint32_t numExpertsUsed = 0;
};

/// What a prompt's tokens see, and therefore how it may be fed.
enum class Prefix : uint8_t {
    Causal,  ///< only earlier tokens: chunks, sharing and snapshots are possible
};

struct ModelFamily {
    std::string_view arch;  ///< general.architecture
    Prefix prefix;
    /// Errors: Corrupt (missing or contradictory values), Unsupported (a variant this version cannot
    /// compute).
    Result<ModelConfig> (*readConfig)(const formats::ModelFile& file);
    std::vector<TensorSpec> (*tensors)(const ModelConfig& config);
    backend::MemorySpec (*memory)(const ModelConfig& config);
    /// The forward pass; ends with Builder::logits. Whether it fits together, the builder knows.
    void (*build)(graph::Builder& builder, const ModelConfig& config, const Weights& weights);
    /// Writes the metadata of a model of these sizes, so that readConfig() understands it.
    void (*synthesize)(const SynthSizes& sizes, formats::Metadata& metadata);
};

std::span<const ModelFamily* const> allFamilies();

/// A file's family, its sizes and its checked weights. Weights point into the file.
struct BoundModel {
    const ModelFamily* family = nullptr;
    ModelConfig config;
    Weights weights;
};

/// Errors: Unsupported, naming the unknown architecture or variant; Corrupt.
Result<BoundModel> bindModel(const formats::ModelFile& file);

/// The model's forward pass. Errors: InvalidArgument, when it does not fit together: a mistake of the family.
Result<graph::Graph> buildGraph(const BoundModel& model);

/// A model of few layers: one of each kind that `model` has, of the same weights.
BoundModel withOneLayerOfEachKind(const BoundModel& model);

}  // namespace ingle::models
