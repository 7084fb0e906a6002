/// Guesses of what an answer goes on with, by the model's own head (models/prediction_head.h) or one that was
/// given to it (models/draft_head.h).
#pragma once

#include <memory>

#include "engine/session/conversations/speculation.h"
#include "engine/session/loading/model.h"

namespace ingle::session {

/// A head ready to run, where the model computes. One thread, that of the model.
class HeadPredictor {
  public:
    /// Null where the model has no head, or may leave the processor for a device: programs there have no
    /// hidden rows. `model` must outlive this.
    static std::unique_ptr<HeadPredictor> create(Model& model);
    /// Of one answer, whose tokens are chosen as `sampler` says. Must not outlive this.
    std::unique_ptr<GuessSource> guesses(const SamplerParams& sampler);
    /// Of the model's hidden rows.
    size_t rowWidth() const;

  private:
    explicit HeadPredictor(Model& model) : m_model(model) {}
    Status compile(backend::Backend& backend);
    /// What the head reads of the model's hidden rows: themselves, or what is made of them, which is valid
    /// until the next call. Errors: Device, OutOfMemory.
    Result<std::span<const float>> read(std::span<const float> rows);

    friend class HeadGuesses;
    Model& m_model;
    std::unique_ptr<backend::MemoryPool> m_memory;
    std::unique_ptr<backend::Program> m_program;
    std::unique_ptr<backend::Program> m_fusion;          ///< null: the head reads hidden rows as they are
    std::unique_ptr<backend::SequenceMemory> m_scratch;  ///< what fused rows are of
};

}  // namespace ingle::session
