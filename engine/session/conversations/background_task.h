/// Work on a text that waits for all answers: reading ahead, and looking at answers again.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/session/conversations/cached_sequence.h"
#include "engine/session/conversations/prompt_pictures.h"
#include "engine/session/loading/model.h"

namespace ingle::session {

/// First plan() and afterPlan(); then, while it is not finished(): begin() with a sequence for text(), and
/// for each step feed what next() says, then fed() and take() for each row that it asks for. suspend() at any
/// time between steps, and begin() again. One thread, but cancel() and plan().
class BackgroundTask {
  public:
    explicit BackgroundTask(uint64_t id) : m_id(id) {}
    virtual ~BackgroundTask() = default;

    uint64_t id() const { return m_id; }
    void cancel() { m_cancelled = true; }
    bool cancelled() const { return m_cancelled; }
    /// True when tasks that are not go first.
    virtual bool isLong() const = 0;

    /// False while something that it needs is not there yet.
    virtual bool canBegin() const { return true; }
    bool planned() const { return m_planned; }
    /// Any thread, while nothing else but cancel() is called.
    virtual Status plan(const OpenedModel& model) = 0;
    /// Behind one that went well.
    virtual void afterPlan() { m_planned = true; }
    /// What has to be in memory; its last token is to be fed.
    virtual SequenceText text() const = 0;
    /// Of the text.
    virtual const PromptPictures& pictures() const = 0;
    virtual void begin(CachedSequence sequence) { m_sequence = std::move(sequence); }
    bool begun() const { return m_sequence.memory != nullptr; }
    const CachedSequence& sequence() const { return m_sequence; }
    CachedSequence suspend() { return std::exchange(m_sequence, {}); }
    /// What was found is not valid: all again.
    virtual void restart() = 0;

    struct Next {
        std::span<const TokenId> tokens;
        uint32_t firstRow = 0;  ///< take() wants the logits from this one of the tokens on
    };
    /// At most `most` tokens, but a prefix at once, or `mostRows` once their logits are wanted.
    virtual Next next(size_t most, size_t mostRows) const = 0;
    virtual void fed(size_t count) = 0;
    virtual void take(const OpenedModel& model, std::span<const float> logits) = 0;
    virtual bool finished() const = 0;
    /// Of one that is finished: tells its sink.
    virtual void tellResult() = 0;
    virtual void failWith(const Error& error) = 0;

  protected:
    /// Adds the next `count` ids to those that the sequence holds.
    void noteFed(size_t count) {
        const auto from = m_ids.begin() + static_cast<std::ptrdiff_t>(m_sequence.ids.size());
        m_sequence.ids.insert(m_sequence.ids.end(), from, from + static_cast<std::ptrdiff_t>(count));
    }

    std::vector<TokenId> m_ids;  ///< all that is to be fed
    CachedSequence m_sequence;

  private:
    const uint64_t m_id;
    bool m_planned = false;
    std::atomic<bool> m_cancelled{false};
};

}  // namespace ingle::session
