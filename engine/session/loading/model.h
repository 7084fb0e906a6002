/// A model ready to run: file, weights, tokenizer, chat format, and where it computes.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "engine/backend/backend.h"
#include "engine/chat/prompt_renderer.h"
#include "engine/formats/model_file.h"
#include "engine/models/family.h"
#include "engine/session/loading/known_pictures.h"
#include "engine/session/loading/memory_estimate.h"
#include "engine/session/loading/placement.h"
#include "engine/session/loading/vision_choice.h"
#include "engine/tokenizer/tokenizer.h"
#include "ingle/types.h"

namespace ingle::grammar {
class TokenTrie;
}

namespace ingle::session {

/// What makes a head's rows of the model's hidden rows (models/draft_head.h).
struct RowFusion {
    models::BoundModel bound;
    graph::Graph graph;
};

/// What predicts further tokens of a model: reads them, and the model's hidden rows.
struct PredictionHead {
    /// Tokens that it remembers of a conversation: a guess gains little from what is further back.
    static constexpr uint32_t kContext = 2048;
    static constexpr uint32_t kStepTokens = 64;

    models::BoundModel bound;
    graph::Graph graph;
    // Of a head in a file of its own:
    std::shared_ptr<const formats::ModelFile> file = {};
    std::optional<RowFusion> fusion = {};
    std::vector<TokenId> tokens = {};  ///< of the model, which the logits are of; empty: all of its
};

/// What lets a model see: its vision file, and the model with places for pictures.
struct Sight {
    std::string visionFile;
    uint64_t fileBytes = 0;  ///< of a file beside the model's
    models::BoundModel bound;
    graph::Graph graph;
    bool readsWhole = false;  ///< the rows of a picture see each other, so a step takes all of them
};

/// What is known about a file without computing anything.
struct OpenedModel {
    formats::ModelFile file;
    models::BoundModel bound;
    graph::Graph graph;                       ///< the forward pass
    std::optional<PredictionHead> head;       ///< what predicts further tokens
    std::vector<uint32_t> handedOver;         ///< see ModelDefinition::handingOver(); empty: none
    std::optional<Sight> sight;               ///< none: it takes no pictures
    std::shared_ptr<KnownPictures> pictures;  ///< set by whoever keeps them; null: there are none
    std::shared_ptr<const tokenizer::Tokenizer> tokenizer;  ///< null: the file has none, only ids work
    std::optional<chat::PromptRenderer> prompts;            ///< set by openModel()
    // Built by the first answer that follows a grammar, or is a demanded call, in which the tokens of marks
    // have their text. By AnswerRules only, under its lock.
    mutable std::shared_ptr<const grammar::TokenTrie> tokenTrie, callTrie;
    ModelShape shape;
    uint32_t contextTokens = 0;  ///< 0: no limit (recurrent models)
    ModelInfo info;

    void setContext(uint32_t tokens) { contextTokens = info.contextTokens = tokens; }
};

/// Opens and checks the file with the options' overrides. Errors: Io, Corrupt, Unsupported, InvalidArgument.
Result<std::unique_ptr<OpenedModel>> openModel(const io::Source& source, const LoadOptions& options);

/// An opened model and where it computes. One thread.
class Model {
  public:
    /// Sequences that may get a token each in one step.
    static constexpr uint32_t kMaxDecoding = kMostAtOnce;
    /// Tokens of a prompt that may be fed in one step beside them: a cancel waits for one step at most. More
    /// where the device gains by it, see Place::promptTokens().
    static constexpr uint32_t kPrefillTokens = 64;
    static constexpr uint32_t kStepTokens = kMaxDecoding + kPrefillTokens;
    /// Tokens that a step of this model has to take: of prompts that are read whole, the longest.
    static uint32_t stepTokens(const models::ModelFacts& facts, uint32_t contextTokens,
                               uint32_t promptTokens = kPrefillTokens) {
        const uint32_t most = kMaxDecoding + promptTokens;
        return facts.readsPromptsWhole() ? std::max(most, contextTokens) : most;
    }
    static constexpr uint32_t kStepLogits = kMaxDecoding + 1;
    /// Contexts that memory may hold: one of each such sequence, and what is kept of earlier ones.
    static constexpr uint32_t kMostContexts = kMaxDecoding + 1;

    /// Errors: as openModel() and Placement::create(). `progress` may be null.
    static Result<std::unique_ptr<Model>> load(const io::Source& source, const LoadOptions& options,
                                               const ProgressFn& progress,
                                               DeviceFactory device = createDevice,
                                               DeviceCheck check = checkDevice);

    const OpenedModel& opened() const { return *m_opened; }
    ModelInfo& info() { return m_opened->info; }
    /// What messages may name from now on. Before anything is planned.
    void showPictures(std::shared_ptr<KnownPictures> pictures) { m_opened->pictures = std::move(pictures); }
    const LoadOptions& options() const { return m_options; }
    const backend::MemorySpec& memorySpec() const { return m_opened->shape.memory; }
    Placement& placement() { return *m_placement; }
    /// Of the place where it computes now.
    backend::MemoryPool& memory() { return m_placement->place().memory(); }
    backend::Program& program() { return m_placement->place().program(); }
    /// A program for steps of up to `tokens` that gives the logits of every row.
    Result<std::unique_ptr<backend::Program>> compileAllLogits(uint32_t tokens) {
        return m_placement->place().compile(tokens, tokens);
    }

  private:
    Model() = default;

    std::unique_ptr<OpenedModel> m_opened;
    LoadOptions m_options;
    std::unique_ptr<Placement> m_placement;
};

}  // namespace ingle::session
