/// A checkpoint on its way to GGUF's terms: what an architecture's rules work with.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/checkpoint/checkpoint.h"
#include "engine/formats/checkpoint/config.h"
#include "engine/formats/model_file.h"

namespace ingle::formats {

class Translation;
struct Architecture;

/// Where a tensor goes: its name in GGUF's terms, and the numbers in its own.
struct Place {
    std::string name;
    std::vector<uint32_t> numbers;
};

/// Puts a tensor into the model otherwise than as it lies.
using Change = Status (*)(Translation& translation, const StoredTensor& stored, const Place& place);

class Translation {
  public:
    Translation(Config theConfig, std::string_view family, ModelFile begun)
        : config(std::move(theConfig)), model(std::move(begun)), m_family(family) {}

    const Config config;
    ModelFile model;

    std::string_view family() const { return m_family; }
    /// Sets "<family>.key".
    void set(std::string_view key, MetaValue value);
    void setCount(std::string_view key, uint64_t value) { set(key, static_cast<int64_t>(value)); }

    /// Once Architecture::setKeys() has set the keys: names all tensors by the architecture's rules and those
    /// that most have in common. Errors: Unsupported (a tensor that no rule names, a type that nothing
    /// computes with), Corrupt.
    Status run(const Checkpoint& checkpoint, const Architecture& architecture);
    /// The same of the part that sees: all tensors that its rules name, and those that its architecture
    /// ignores have to be among them. Errors: as run().
    Status runVision(const Checkpoint& checkpoint, const Architecture& architecture);
    /// After run(): rows of the table of tokens. Their number says more surely than the configuration how
    /// many tokens the model knows.
    uint64_t numTokens() const;

    /// Enters a tensor as it lies, of its own shape or another of as many numbers.
    Status place(const StoredTensor& stored, std::string name);
    Status place(const StoredTensor& stored, std::string name, const tensor::Shape& shape);
    /// Enters a tensor of numbers made here; small ones only.
    Status make(std::string name, const tensor::Shape& shape, std::span<const float> values);
    /// Replaces a tensor by parts of so many rows each, in their order; a vector by parts of its numbers.
    /// Nothing happens where it is absent.
    struct Part {
        std::string name;
        uint64_t rows;
    };
    Status split(const std::string& name, std::span<const Part> parts);
    /// One of the matrices of equal shape that become one tensor. They are read where they lie if they lie at
    /// equal distances.
    Status addToStack(const StoredTensor& stored, const Place& place);
    /// A stored tensor under another name. Errors: Unsupported (its type, or another shape than the packed
    /// one's own), Corrupt.
    Result<tensor::Tensor> tensorOf(const StoredTensor& stored, std::string name,
                                    const tensor::Shape& shape) const;
    /// The numbers of a stored tensor. Errors: Unsupported.
    Result<std::vector<float>> numbersOf(const StoredTensor& stored) const;

  private:
    Status translate(const Checkpoint& checkpoint, const Architecture& architecture);
    Status splitPacked(const tensor::Tensor& whole, std::span<const Part> parts);
    /// Packed matrices that are several in one, which families take apart only where they lie in rows.
    Status splitFused(const Architecture& architecture);
    Status finishStacks();

    std::string_view m_family;
    /// By name, and within by number.
    std::map<std::string, std::map<uint32_t, tensor::Tensor>, std::less<>> m_stacks;
};

/// The shape in GGUF's order. Errors: Unsupported (more than four dimensions), Corrupt (a dimension of zero).
Result<tensor::Shape> shapeOf(const StoredTensor& stored);

// Changes.
Status addOne(Translation& translation, const StoredTensor& stored, const Place& place);
Status stackExpert(Translation& translation, const StoredTensor& stored, const Place& place);
/// -exp(x), the decay of Mamba; of Mamba-2 one number a row.
Status negatedExponential(Translation& translation, const StoredTensor& stored, const Place& place);
/// One number a row.
Status asColumn(Translation& translation, const StoredTensor& stored, const Place& place);
/// One row for each of ssm.group_count groups.
Status inGroups(Translation& translation, const StoredTensor& stored, const Place& place);
/// All numbers in one row.
Status asVector(Translation& translation, const StoredTensor& stored, const Place& place);
/// Of each expert the rows of gate, then those of up: the two as tensors of their own, which lie where they
/// lay. Place::name holds "*" for "gate" and "up", or "gate_up" where they are packed and stay together.
Status splitGateUp(Translation& translation, const StoredTensor& stored, const Place& place);
/// Without dimensions of one, as [channels, 1, kernel] of a convolution.
Status squeezed(Translation& translation, const StoredTensor& stored, const Place& place);

/// A whole number of config.json, and its key.
struct NamedCount {
    std::string_view key;   ///< as of Translation::setCount()
    std::string_view from;  ///< in config.json
    uint32_t usual;         ///< where that is silent
};
/// Sets each of them. Errors: Corrupt.
Status setCounts(Translation& translation, std::span<const NamedCount> counts);

/// What decoders' configurations have in common, under the names of most of them; 0 or "" is no name.
struct DecoderNames {
    std::string_view numLayers = "num_hidden_layers";
    std::string_view dim = "hidden_size";
    std::string_view ffnDim = "intermediate_size";
    std::string_view numHeads = "num_attention_heads";
    std::string_view numKvHeads = "num_key_value_heads";
    std::string_view headDim = "head_dim";
    std::string_view context = "max_position_embeddings";
    std::string_view epsilon = "rms_norm_eps";
    std::string_view epsilonKey = "attention.layer_norm_rms_epsilon";
    double usualEpsilon = 1e-6;
    // What holds where config.json is silent, since it is what the class that reads it has; 0: it never is.
    uint32_t usualHeads = 0, usualKvHeads = 0, usualContext = 0;
    uint32_t usualLayers = 0, usualDim = 0, usualFfnDim = 0;
    double usualRotated = 1;  ///< part of a head that is rotated, where partial_rotary_factor is absent
};

struct DecoderSizes {
    uint32_t numLayers, dim, numHeads, numKvHeads, headDim, context;
    uint32_t rotatedDims;
};

/// Sets block_count … rope.dimension_count. Errors: Corrupt.
Result<DecoderSizes> setDecoderKeys(Translation& translation, const DecoderNames& names = {});
/// The keys of Llama and Mistral. `usualWindow`: where config.json is silent; 0: none. A window narrows what
/// a token sees only when the text is longer: up to its length they are one model. Errors: Corrupt,
/// Unsupported.
Status setLlamaKeys(Translation& translation, const DecoderNames& names = {}, uint32_t usualWindow = 0);
/// Sets rope.freq_base and what stretches it, from rope_theta and rope_scaling, or from rope_parameters that
/// hold both; `prefix` is "rope_parameters" or a part of it. Sources: transformers,
/// src/transformers/modeling_rope_utils.py; Peng et al., "YaRN" (2023); Ding et al., "LongRoPE" (2024).
/// Errors: Corrupt, Unsupported.
Status setRope(Translation& translation, const DecoderSizes& sizes, double usualBase = 10000,
               std::string_view prefix = "rope_parameters");
/// Errors: Unsupported, where config.json has another value than one of these under that key.
Status expectText(const Config& config, std::string_view key, std::string_view usual,
                  std::initializer_list<std::string_view> known);
/// Sets hidden_activation from config.json's `key`, in which "gelu" is the form with the error function;
/// `usual` where it is absent. Errors: Unsupported.
Status setActivation(Translation& translation, std::string_view key, std::string_view usual = "gelu");
Status expectFlag(const Config& config, std::string_view key, bool usual, bool known);

}  // namespace ingle::formats
