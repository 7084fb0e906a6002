/// Runs many generations at once: in each step every answer being written gets a token, and one prompt is
/// read a little further; an answer that is alone may be decoded ahead on the device. What a generation
/// computes does not depend on the others (the backend's order of additions depends on shapes only), so
/// neither do its tokens. When the device fails, the running generations queue again, in front, and are read
/// again on the processor like any other prompt.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/session/conversations/cached_sequence.h"
#include "engine/session/conversations/generation.h"
#include "engine/session/conversations/reading.h"
#include "engine/session/conversations/scoring.h"
#include "engine/session/snapshots/model_snapshots.h"

namespace ingle::session {

/// One thread, but cancel() and submit().
class Scheduler {
  public:
    /// `model` must outlive this.
    Scheduler(Model& model, std::shared_ptr<SnapshotStore> snapshots);

    GenerationId submit(GenerateRequest request, GenerateSink& sink);
    /// These run while no answer is waiting or being written.
    GenerationId submit(ScoreRequest request, ScoreSink& sink);
    GenerationId submit(ReadRequest request, ReadSink& sink);
    void cancel(GenerationId id);
    /// False when nothing is left to do.
    bool step();
    /// Takes back what the device does ahead of the answer: others may use the model's memory then, until the
    /// next step.
    void settle() { m_ahead.reset(); }
    /// See ModelSnapshots::modelHash().
    std::optional<std::string> modelHash() const { return m_snapshots.modelHash(); }

  private:
    using Generations = std::list<std::unique_ptr<Generation>>;

    /// What one generation contributes to a step.
    struct Part {
        Generation* generation = nullptr;
        std::span<const TokenId> tokens;
    };

    bool hasWork();
    bool answersWait();
    void admit();
    /// Gives `generation` a sequence to begin with. False when it has ended instead.
    bool begin(Generation& generation);
    /// True when a running generation is reading a beginning that `waiting` shares: better to wait for it.
    bool sharesWhatIsBeingRead(const Generation& waiting) const;
    /// A sequence that holds as much of `text` as memory or disk can give.
    Result<CachedSequence> sequenceFor(const SequenceText& text);
    Result<CachedSequence> findSequence(const SequenceText& text);
    Result<CachedSequence> fromMemory(const SequenceText& text);
    Result<CachedSequence> fromDisk(std::span<const TokenId> ids);
    /// What may be restored for a prompt. Its last token is fed in any case, to get logits: what can forget
    /// it again is restored with it.
    std::span<const TokenId> restorable(std::span<const TokenId> ids) const;
    size_t longestInMemory(const SequenceText& text) const;

    /// Moves to the processor when that is what `error` asks for (see Placement::leave): every sequence is
    /// gone then, and nothing runs. False when nothing changed.
    bool leaveDevice(const Error& error);
    /// Before an answer, with nothing running (see Placement::retry).
    void retryDevice(Generation& next);
    /// Where memory is full, the generation that began to read last waits until another has ended. False: it
    /// is alone.
    bool postponeLast();
    /// What is kept for later makes room for what is wanted now: tries again with less of it.
    template <typename Attempt>
    auto makingRoom(Attempt attempt);

    std::vector<Part> compose();
    void run(std::span<const Part> parts);
    Status runProgram(std::span<const Part> parts);
    /// Lets the device itself choose the next token of an answer that runs alone. False when it cannot:
    /// nothing happened then.
    bool runAhead(Generation& generation);
    /// Of a step: `count` tokens are in the generation's sequence.
    void fed(Generation& generation, size_t count);
    void endIfFinished(Generation& generation, Generation::Outcome outcome);
    void keep(const Generation& generation, ModelSnapshots::Extent extent);
    void finish(Generation& generation);
    /// Ends one that was cancelled in the middle of a step.
    void finishCancelled(Generation& generation);
    void drop(Generation& generation);
    void failWith(Generation& generation, const Error& error);

    /// Whether the step had no work beside background tasks.
    enum class Idle { Yes, No };
    /// One that was cancelled, or whose turn it is when that is all there is to do; null: none.
    BackgroundTask* nextTask(Idle idle);
    void stepTask(Idle idle);
    /// Errors: what ends the task.
    Status stepTask(BackgroundTask& task);
    /// Answers, and short tasks, come first: what it has read so far serves them as well.
    void suspendTasks();

    Model& m_model;
    ModelSnapshots m_snapshots;
    SequenceCache m_idle;
    std::mutex m_mutex;     ///< guards the structure of the lists; generations belong to the stepping thread
    Generations m_waiting;  ///< in order of submission
    Generations m_running;  ///< the one whose prompt was read last comes last
    std::list<std::unique_ptr<BackgroundTask>> m_tasks;  ///< in order of submission; one at most has begun
    size_t m_mostRunning = Model::kMaxDecoding;          ///< fewer where memory was full
    GenerationId m_nextId = 1;
    /// Steps of the only running generation, whose sequence nothing else touches meanwhile.
    std::unique_ptr<backend::DecodeQueue> m_ahead;
};

}  // namespace ingle::session
