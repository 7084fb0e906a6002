/// An answer that exists, read at once: what the sampler would choose at each of its places.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/sampling/sampler.h"
#include "engine/session/conversations/answer_rules.h"
#include "engine/session/conversations/answer_text.h"
#include "engine/session/conversations/background_task.h"
#include "ingle/score.h"

namespace ingle::session {

class Scoring final : public BackgroundTask {
  public:
    Scoring(uint64_t id, ScoreRequest request, ScoreSink& sink)
        : BackgroundTask(id), m_request(std::move(request)), m_sink(sink) {}

    bool isLong() const override { return false; }
    /// Errors: as planPrompt(); InvalidArgument for ids or places that cannot be, also by the answer's rules.
    Status plan(const OpenedModel& model) override;
    /// All before the next place.
    SequenceText text() const override { return {std::span(m_ids).first(nextRow() + 1), m_prefixTokens}; }
    const PromptPictures& pictures() const override { return m_pictures; }
    void restart() override;
    Next next(size_t most, size_t mostRows) const override;
    void fed(size_t count) override;
    void take(const OpenedModel& model, std::span<const float> logits) override;
    bool finished() const override { return planned() && m_scores.positions.size() == m_count; }
    void tellResult() override { m_sink.onScored(std::move(m_scores)); }
    void failWith(const Error& error) override { m_sink.onError(error); }

  private:
    /// Finds the place of a byte, and reads what stands before the first place.
    Status readText(const OpenedModel& model, const PlannedPrompt& prompt);
    Status findByte(const OpenedModel& model, AnswerText text);
    /// The token after which the next place is.
    size_t nextRow() const { return m_firstRow + m_scores.positions.size(); }

    ScoreRequest m_request;
    ScoreSink& m_sink;

    PromptPictures m_pictures;
    bool m_readsPicturesWhole = false;  ///< see Sight
    size_t m_promptTokens = 0;
    size_t m_firstRow = 0, m_count = 0;
    uint32_t m_prefixTokens = 0;  ///< see backend::SequenceRun
    sampling::Sampler m_sampler;
    std::optional<AnswerRules> m_rulesAtFirst, m_rules;  ///< what the answer had to follow, at the next place
    Scores m_scores;
};

}  // namespace ingle::session
