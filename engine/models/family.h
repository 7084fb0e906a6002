/// Model families. One file per family: engine/models/families/<name>.cpp defines `extern const ModelFamily
/// family` in the namespace `<name>_family`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/backend/memory.h"
#include "engine/formats/model_file.h"
#include "engine/graph/builder.h"
#include "engine/models/keys.h"
#include "engine/models/weights.h"
#include "ingle/types.h"

namespace ingle::models {

struct DecoderSpec;

/// How an encoder's rows become the one that stands for a text.
enum class Pooling : uint8_t {
    None,   ///< not at all: a row for each token
    Mean,   ///< of all rows
    First,  ///< the first token's
    Last,   ///< the last token's
};

/// Something that is done with the row that stands for a text:  y = norm(f(W x + b)).
struct PooledStep {
    std::string name;  ///< of the matrix and, where the file has one, of its bias
    uint32_t in = 0, out = 0;
    std::optional<backend::ActivationKind> activation = {};  ///< f: sigmoid … tanh; none: nothing
    std::string norm = {};                                   ///< gain of a norm of layers; empty: none
    float normEps = 0;
    bool makesShares = false;  ///< softmax of y
};

/// What the rest of the program asks of any model.
struct ModelFacts {
    std::string arch;
    uint32_t numLayers = 0;  ///< those that a token goes through
    /// Further ones behind them, each of which can predict the token after the next (prediction_head.h).
    uint32_t numPredicting = 0;
    uint32_t dim = 0;
    uint32_t vocabSize = 0;
    uint32_t trainedContext = 0;  ///< 0: not stated, or without meaning
    bool tiedOutput = false;      ///< logits use the embedding table
    /// It computes as it does for long conversations, and otherwise than for shorter ones.
    bool forLongContext = false;
    /// Of an encoder: all of a text is read at once, and nothing is written. It has no key that makes it one.
    std::optional<Pooling> pooling = {};
    std::vector<PooledStep> pooledSteps = {};  ///< behind the pooling, one after the other
    bool isClassifier = false;                 ///< what the steps make are scores, not an embedding
    /// Of a model whose prompt is read as a whole: the tokens of a text before the first one of this id are a
    /// prefix, all of which see each other (backend::Mask::Prefix).
    std::optional<TokenId> prefixEnd = {};
    /// Positions of its tokens have coordinates (backend::Step::coordinates).
    bool hasCoordinates = false;
    uint32_t pictureWidth = 0;  ///< of the rows of a picture (ModelDefinition::withPictures()); 0: none

    bool readsPromptsWhole() const { return prefixEnd.has_value(); }
    /// SequenceRun::prefixTokens of a text that begins with `prompt`.
    uint32_t prefixTokens(std::span<const TokenId> prompt) const;
};

/// Reads and checks the facts that every file states. Errors: Corrupt.
Result<ModelFacts> readFacts(const Keys& keys);

/// A model as its family read it from a file: what it consists of, and how it computes. Immutable.
class ModelDefinition {
  public:
    virtual ~ModelDefinition() = default;

    virtual const ModelFacts& facts() const = 0;
    virtual std::vector<TensorSpec> tensors() const = 0;
    /// What a sequence remembers.
    virtual backend::MemorySpec memory() const = 0;
    /// The forward pass; ends with Builder::logits. Whether it fits together, the builder knows.
    virtual void build(graph::Builder& builder, const Weights& weights) const = 0;

    /// What predicts further tokens from the hidden rows of this model (graph::Graph::hidden), as a model of
    /// its own. Null: nothing.
    virtual std::shared_ptr<const ModelDefinition> head() const { return nullptr; }

    /// The same model, which takes the rows of pictures in place of tokens (backend::SequenceRun::isPicture).
    /// Null: it cannot.
    virtual std::shared_ptr<const ModelDefinition> withPictures() const { return nullptr; }

    /// The same model, whose hidden rows are what these layers read, side by side. Null: it cannot.
    virtual std::shared_ptr<const ModelDefinition> handingOver(std::span<const uint32_t> /*layers*/) const {
        return nullptr;
    }

    /// Two layers compute the same thing, with other weights.
    virtual bool areAlike(uint32_t layer, uint32_t other) const = 0;
    /// A model of these layers only, numbered anew.
    virtual std::shared_ptr<const ModelDefinition> withLayers(std::span<const uint32_t> layers) const = 0;
};

/// A family's functions over a structure of its own: `Config` has `ModelFacts facts`, areAlike() as above,
/// and keepLayers(), which forgets the other layers.
template <class Config, std::vector<TensorSpec> (*tensorsOf)(const Config&),
          backend::MemorySpec (*memoryOf)(const Config&),
          void (*buildOf)(graph::Builder&, const Config&, const Weights&)>
class Definition final : public ModelDefinition {
  public:
    explicit Definition(Config config) : m_config(std::move(config)) {}

    const ModelFacts& facts() const override { return m_config.facts; }
    std::vector<TensorSpec> tensors() const override { return tensorsOf(m_config); }
    backend::MemorySpec memory() const override { return memoryOf(m_config); }
    void build(graph::Builder& builder, const Weights& weights) const override {
        buildOf(builder, m_config, weights);
    }
    std::shared_ptr<const ModelDefinition> head() const override {
        if constexpr (requires { headOf(m_config); }) return headOf(m_config);
        return nullptr;
    }
    std::shared_ptr<const ModelDefinition> withPictures() const override {
        if constexpr (requires(Config config) { config.takePictures(); }) {
            Config config = m_config;
            config.takePictures();
            return std::make_shared<Definition>(std::move(config));
        }
        return nullptr;
    }
    std::shared_ptr<const ModelDefinition> handingOver(std::span<const uint32_t> layers) const override {
        if constexpr (std::is_same_v<Config, DecoderSpec>) {
            Config config = m_config;
            config.handOver(layers);
            return std::make_shared<Definition>(std::move(config));
        }
        return nullptr;
    }
    bool areAlike(uint32_t layer, uint32_t other) const override { return m_config.areAlike(layer, other); }
    std::shared_ptr<const ModelDefinition> withLayers(std::span<const uint32_t> layers) const override {
        Config config = m_config;
        config.keepLayers(layers);
        return std::make_shared<Definition>(std::move(config));
    }

  private:
    Config m_config;
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

enum class FamilyKind : uint8_t {
    Writer,       ///< chooses tokens
    WholePrompt,  ///< does so, too, and reads what it answers as a whole: ModelFacts::prefixEnd
    Encoder,      ///< makes rows of numbers of a text: ModelFacts::pooling. Writers may do so, too
};

/// A family reads its own keys of the metadata, and no other family's, though a file may hold them. Errors of
/// reading: Corrupt (missing or contradictory values), Unsupported (a variant this version cannot compute).
struct ModelFamily {
    std::string_view arch;  ///< general.architecture
    FamilyKind kind = FamilyKind::Writer;
    /// Of a transformer decoder: its layers as data (decoder.h).
    Result<DecoderSpec> (*describe)(const Keys& keys) = nullptr;
    /// Of any other model.
    Result<std::shared_ptr<const ModelDefinition>> (*open)(const Keys& keys) = nullptr;
    /// Writes the metadata of a model of these sizes, every key that open() reads, so that it understands it.
    void (*synthesize)(const SynthSizes& sizes, formats::Metadata& metadata);
};

std::span<const ModelFamily* const> allFamilies();

/// The model that the file's metadata describe. `contextTokens`: how long conversations may be; 0: as long as
/// the model was trained for. Errors: as of reading above.
Result<std::shared_ptr<const ModelDefinition>> openDefinition(const ModelFamily& family,
                                                              const formats::ModelFile& file,
                                                              uint32_t contextTokens = 0);

/// A file's family, its definition and its checked weights. Weights point into the file.
struct BoundModel {
    std::shared_ptr<const ModelDefinition> definition;
    Weights weights;

    const ModelFacts& facts() const { return definition->facts(); }
};

/// `contextTokens`: as of openDefinition(). Errors: Unsupported, naming the unknown architecture or variant;
/// Corrupt.
Result<BoundModel> bindModel(const formats::ModelFile& file, uint32_t contextTokens = 0);

/// The model's head, where the file has all of one that this version can compute.
std::optional<BoundModel> bindHead(const formats::ModelFile& file, const BoundModel& model);

/// The model's forward pass. Errors: InvalidArgument, when it does not fit together: a mistake of the family.
Result<graph::Graph> buildGraph(const BoundModel& model);

/// The layers of withOneLayerOfEachKind().
std::vector<uint32_t> layersOfEachKind(const BoundModel& model);
/// A model of few layers: one of each kind that `model` has, of the same weights.
BoundModel withOneLayerOfEachKind(const BoundModel& model);

}  // namespace ingle::models
