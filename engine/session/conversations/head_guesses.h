/// Guesses of what an answer goes on with, by the model's own head (models/prediction_head.h).
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

  private:
    explicit HeadPredictor(Model& model) : m_model(model) {}

    friend class HeadGuesses;
    Model& m_model;
    std::unique_ptr<backend::MemoryPool> m_memory;
    std::unique_ptr<backend::Program> m_program;
};

}  // namespace ingle::session
