/// Guesses of what an answer goes on with, by the model's own head (models/prediction_head.h) or one that was
/// given to it (models/draft_head.h).
#pragma once

#include <memory>
#include <vector>

#include "engine/session/conversations/speculation.h"
#include "engine/session/loading/model.h"

namespace ingle::session {

/// A head, where its model computes. One thread, that of the model, but for guesses().
class HeadPredictor {
  public:
    /// Null where the model has no head. `model` must outlive this.
    static std::unique_ptr<HeadPredictor> create(Model& model);
    /// The model computes elsewhere now: lets go of the place that was left, and goes there.
    void move();
    /// False where nothing can be predicted: there was no room for it, or programs have no hidden rows.
    bool isReady() const { return m_program != nullptr; }
    /// Of one answer, whose tokens are chosen as `sampler` says. Must not outlive this.
    std::unique_ptr<GuessSource> guesses(const SamplerParams& sampler);
    /// Of the model's hidden rows.
    size_t rowWidth() const;

  private:
    /// What a source remembers of an answer; null: nothing yet, or it was in a place that was left.
    using Sequence = std::unique_ptr<backend::SequenceMemory>;

    explicit HeadPredictor(Model& model) : m_model(model) {}
    /// Errors: Unsupported, OutOfMemory, Device.
    Status build();
    void clear();
    /// Known here, so that it is let go of in time.
    std::shared_ptr<Sequence> createSequence();
    /// What the head reads of the model's hidden rows: themselves, or what is made of them, which is valid
    /// until the next call. Errors: Device, OutOfMemory.
    Result<std::span<const float>> read(std::span<const float> rows);

    friend class HeadGuesses;
    Model& m_model;
    std::unique_ptr<backend::MemoryPool> m_memory;
    std::unique_ptr<backend::Program> m_program;
    std::unique_ptr<backend::Program> m_fusion;  ///< null: the head reads hidden rows as they are
    Sequence m_scratch;                          ///< what fused rows are of
    std::vector<std::weak_ptr<Sequence>> m_sequences;
};

}  // namespace ingle::session
