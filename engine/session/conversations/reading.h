/// A text that is read before anybody asks about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session/conversations/background_task.h"
#include "ingle/reading.h"

namespace ingle::session {

class ModelSnapshots;

/// Keeps what was read after each page of 64 tokens, so that a process that is killed costs the last page.
class Reading final : public BackgroundTask {
  public:
    /// `snapshots` must outlive this.
    Reading(uint64_t id, ReadRequest request, ReadSink& sink, const ModelSnapshots& snapshots)
        : BackgroundTask(id), m_request(std::move(request)), m_sink(sink), m_snapshots(snapshots) {}

    bool isLong() const override { return true; }
    bool canBegin() const override;
    /// Errors: InvalidArgument when the text does not fit the context, or there is none; Unsupported where
    /// nothing is kept on the disk, or the model has no tokenizer.
    Status plan(const OpenedModel& model) override;
    /// Tells the sink what it costs.
    void afterPlan() override;
    SequenceText text() const override { return {m_ids, 0}; }
    const PromptPictures& pictures() const override { return m_noPictures; }
    void begin(CachedSequence sequence) override;
    void restart() override { m_sequence = {}; }
    Next next(size_t most, size_t mostRows) const override;
    void fed(size_t count) override;
    void take(const OpenedModel&, std::span<const float>) override {}
    bool finished() const override { return m_finished; }
    void tellResult() override;
    void failWith(const Error& error) override { m_sink.onError(error); }

  private:
    void keep();

    const ReadRequest m_request;
    ReadSink& m_sink;
    const ModelSnapshots& m_snapshots;
    const PromptPictures m_noPictures;
    ReadCost m_cost;
    bool m_costTold = false, m_finished = false;
    size_t m_keptTokens = 0;  ///< in the last record with states
};

/// The tokens that every prompt begins with whose first messages are `messages`, with anything behind the
/// last one's text. Errors: InvalidArgument (none); Unsupported (no tokenizer).
Result<std::vector<TokenId>> commonTokens(const OpenedModel& model, const chat::PromptRenderer& prompts,
                                          std::span<const ChatMessage> messages);

}  // namespace ingle::session
