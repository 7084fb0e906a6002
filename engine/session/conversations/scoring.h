/// An answer that exists, read at once: what the sampler would choose at each of its places.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "engine/sampling/sampler.h"
#include "engine/session/conversations/answer_text.h"
#include "engine/session/conversations/cached_sequence.h"
#include "engine/session/loading/model.h"
#include "ingle/score.h"

namespace ingle::session {

/// First plan(); then, while it is not finished(): begin() with a sequence for text(), and for each step feed
/// what next() says, then fed() and take() for each row that it asks for. suspend() at any time between
/// steps, and begin() again. One thread, but cancel().
class Scoring {
  public:
    Scoring(uint64_t id, ScoreRequest request, ScoreSink& sink)
        : m_id(id), m_request(std::move(request)), m_sink(sink) {}

    uint64_t id() const { return m_id; }
    void cancel() { m_cancelled = true; }
    bool cancelled() const { return m_cancelled; }

    bool planned() const { return !m_ids.empty(); }
    /// Errors: as planPrompt(); InvalidArgument for ids or places that cannot be.
    Status plan(const OpenedModel& model);
    /// What has to be in memory: all before the next place; its last token is to be fed.
    SequenceText text() const { return {std::span(m_ids).first(nextRow() + 1), m_prefixTokens}; }
    void begin(CachedSequence sequence) { m_sequence = std::move(sequence); }
    bool begun() const { return m_sequence.memory != nullptr; }
    const CachedSequence& sequence() const { return m_sequence; }
    CachedSequence suspend() { return std::exchange(m_sequence, {}); }
    /// What was found is not valid: all again.
    void restart();

    struct Next {
        std::span<const TokenId> tokens;
        uint32_t firstRow = 0;  ///< take() wants the logits from this one of the tokens on
    };
    /// At most `most` tokens, but a prefix at once, or `mostRows` once their logits are wanted.
    Next next(size_t most, size_t mostRows) const;
    void fed(size_t count);
    void take(const OpenedModel& model, std::span<const float> logits);
    bool finished() const { return planned() && m_scores.positions.size() == m_count; }
    void tellScores() { m_sink.onScored(std::move(m_scores)); }
    void failWith(const Error& error) { m_sink.onError(error); }

  private:
    /// Finds the place of a byte, and reads what stands before the first place.
    Status readText(const OpenedModel& model, const PlannedPrompt& prompt);
    Status findByte(const OpenedModel& model, AnswerText text);
    /// The token after which the next place is.
    size_t nextRow() const { return m_firstRow + m_scores.positions.size(); }

    const uint64_t m_id;
    ScoreRequest m_request;
    ScoreSink& m_sink;
    std::atomic<bool> m_cancelled{false};

    std::vector<TokenId> m_ids;  ///< prompt and answer
    size_t m_promptTokens = 0;
    size_t m_firstRow = 0, m_count = 0;
    uint32_t m_prefixTokens = 0;  ///< see backend::SequenceRun
    CachedSequence m_sequence;
    sampling::Sampler m_sampler;
    Scores m_scores;
};

}  // namespace ingle::session
