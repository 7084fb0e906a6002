/// The rows of a step, put together from what several sequences are fed: tokens, or rows of pictures.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/session/conversations/prompt_pictures.h"

namespace ingle::session {

/// Lives as long as the step that it gives.
class StepRows {
  public:
    /// `takesPictures`: as Place::takesPictures().
    StepRows(const OpenedModel& model, bool takesPictures) : m_model(model), m_takesPictures(takesPictures) {}

    /// Adds the next tokens of a sequence, of which `run` says all but how many they are and whether they are
    /// those of a picture. Errors: as KnownPictures::rows().
    Status add(backend::SequenceRun run, std::span<const TokenId> tokens, const PromptPictures& pictures);

    std::span<const TokenId> tokens() const { return m_tokens; }
    backend::Step step(std::span<const uint32_t> logitRows, std::function<bool()> cancelled) const {
        return {m_tokens, m_runs, logitRows, std::move(cancelled), m_inputRows, m_coordinates};
    }

  private:
    const OpenedModel& m_model;
    const bool m_takesPictures;
    std::vector<TokenId> m_tokens;
    std::vector<backend::SequenceRun> m_runs;
    std::vector<float> m_inputRows;
    std::vector<backend::Coordinates> m_coordinates;
};

}  // namespace ingle::session
