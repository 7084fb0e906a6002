/// Runs many generations at once: in each step every answer being written gets a token, and one prompt is
/// read a little further; while no prompt is read, answers may be decoded ahead on the device. What a
/// generation computes does not depend on the others (the backend's order of additions depends on shapes
/// only), so neither do its tokens. When the device fails, the running generations queue again, in front, and
/// are read again on the processor like any other prompt.
#pragma once

#include <chrono>
#include <condition_variable>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/session/conversations/background_tasks.h"
#include "engine/session/conversations/draft.h"
#include "engine/session/conversations/generation.h"
#include "engine/session/conversations/head_guesses.h"
#include "engine/session/conversations/reading.h"
#include "engine/session/conversations/scoring.h"
#include "engine/session/conversations/sequence_finder.h"
#include "engine/session/conversations/step_rows.h"
#include "engine/session/snapshots/model_snapshots.h"

namespace ingle::session {

/// One thread, but cancel() and submit().
class Scheduler {
  public:
    /// `model` and `draft`, which may be null, must outlive this.
    Scheduler(Model& model, std::shared_ptr<SnapshotStore> snapshots, DraftModel* draft = nullptr);

    GenerationId submit(GenerateRequest request, GenerateSink& sink);
    /// Guesses as `speculation` says.
    GenerationId submit(GenerateRequest request, GenerateSink& sink,
                        std::unique_ptr<Speculation> speculation);
    /// These run while no answer is waiting or being written.
    GenerationId submit(ScoreRequest request, ScoreSink& sink);
    GenerationId submit(ReadRequest request, ReadSink& sink);
    void cancel(GenerationId id);
    /// False when nothing is left to do.
    bool step();
    /// Takes back what the device does ahead of the answer: others may use the model's memory then, until the
    /// next step.
    void settle() {
        m_ahead.reset();
        m_lastAhead.reset();
    }
    /// See ModelSnapshots::modelHash().
    std::optional<std::string> modelHash() const { return m_snapshots.modelHash(); }

  private:
    using Clock = std::chrono::steady_clock;
    using Generations = std::list<std::shared_ptr<Generation>>;  // one may be planned beside the steps

    /// What one generation contributes to a step.
    struct Part {
        Generation* generation = nullptr;
        Generation::Feed feed;
    };

    /// A prompt on a thread of its own.
    struct Planning {
        std::shared_ptr<Generation> generation;
        bool isLong = false;
        std::future<Result<Generation::Prepared>> prompt;
    };
    /// The same for a background task.
    struct TaskPlanning {
        std::shared_ptr<BackgroundTask> task;
        std::future<Status> done;
    };

    /// What cannot begin yet (the model file's hash is being computed, or a long prompt made) is asked again
    /// after this, where there is nothing else to do.
    static constexpr std::chrono::milliseconds kUntilItCanBegin{10};
    /// Prompts that are made at once beside the steps, and as many for background tasks.
    static constexpr size_t kMostPlannings = 4;

    bool hasWork();
    bool answersWait();
    void admit();
    /// Also those that wait behind others.
    void dropCancelled();
    /// Nothing: its prompt is not there yet. Prompts are made while steps go on, long ones one after the
    /// other.
    std::optional<Status> plan(const std::shared_ptr<Generation>& generation);
    /// Gives `generation` a sequence to begin with. False when it has ended instead.
    bool begin(Generation& generation);
    /// True when a running generation is reading a beginning that `waiting` shares: better to wait for it.
    bool sharesWhatIsBeingRead(const Generation& waiting) const;
    std::vector<const CachedSequence*> runningSequences() const;

    /// Moves to the processor, or has it compute more of the layers, when that is what `error` asks for (see
    /// Placement::leave): every sequence is gone then, and nothing runs. False when nothing changed.
    bool leaveDevice(const Error& error);
    /// Tokens of the longest text that is answered, read or scored, or waits to be.
    uint32_t longestText();
    /// Before an answer, with nothing running (see Placement::retry).
    void retryDevice(Generation& next);
    /// Tells whoever asked that pictures are encoded elsewhere than on the device, when that is new.
    void tellOfPictures(Generation& next);
    /// Where memory is full, the generation that began to read last waits until another has ended. False: it
    /// is alone.
    bool postponeLast();
    std::vector<Part> compose();
    /// Where rows are free, and logits do not depend on what is fed beside.
    void addGuesses(std::span<Part> parts);
    /// While answers are decoded ahead: true where a step with guesses is worth more, and what is on its way
    /// has arrived.
    bool endsForGuesses(std::span<const Part> parts);
    static bool hasGuesses(std::span<const Part> parts);
    static size_t numRows(std::span<const Part> parts);
    void run(std::span<const Part> parts);
    Status runProgram(std::span<const Part> parts);
    /// Runs it on a program that takes as many rows.
    Status runStep(const StepRows& rows, std::span<const uint32_t> logitRows,
                   std::function<bool()> cancelled);
    /// Lets the device itself choose the next tokens of all running answers. False when it cannot: nothing
    /// happened then.
    bool runAhead(std::span<const Part> parts);
    backend::DecodeOrder orderAhead(std::span<const Part> parts) const;
    /// Where a part of a step lies in it.
    struct Rows {
        size_t first = 0;          ///< of the rows of all parts
        uint32_t firstLogits = 0;  ///< of the rows with logits
    };
    /// What became of a part of a step. False when the device was left.
    bool take(const Part& part, const Rows& rows);
    /// Shows what guesses for `generation` the hidden rows of the step from `firstRow` on, which are of its
    /// `count` tokens from number `firstToken` on.
    void show(Generation& generation, size_t firstRow, size_t firstToken, size_t count);
    /// What of the guesses that were fed stays: those that were `taken`, as far as states can be had there.
    /// Errors: Device; then the sequence is of no use.
    Status endGuesses(Generation& generation, size_t guessed, size_t taken);
    /// After that, and what came of its last token: as take().
    bool loseSequence(Generation& generation, Generation::Outcome outcome, const Error& error);
    /// Of a step: `count` tokens are in the generation's sequence.
    void fed(Generation& generation, size_t count);
    void endIfFinished(Generation& generation, Generation::Outcome outcome);
    /// The first `tokens` of what is in its sequence.
    void keep(const Generation& generation, ModelSnapshots::Extent extent, size_t tokens);
    /// Keeps a copy in memory where recurrent states could not go back to a message's end.
    void copyEnd(const Generation& generation, size_t end);
    void finish(Generation& generation);
    /// Ends one that was cancelled in the middle of a step.
    void finishCancelled(Generation& generation);
    void drop(Generation& generation);
    void failWith(Generation& generation, const Error& error);

    // scheduler_tasks.cpp:
    /// Whether the step had no work beside background tasks.
    enum class Idle { Yes, No };
    /// One that was cancelled, or whose turn it is when that is all there is to do; null: none.
    std::shared_ptr<BackgroundTask> nextTask(Idle idle);
    void stepTask(Idle idle);
    /// Errors: what ends the task.
    Status stepTask(const std::shared_ptr<BackgroundTask>& task);
    /// On another thread. Nothing: it is not done yet.
    std::optional<Status> plan(const std::shared_ptr<BackgroundTask>& task);
    void suspendTasks();
    /// For what cannot begin yet: until something is submitted or cancelled, or a moment has passed.
    void waitForChange();

    Model& m_model;
    DraftModel* m_draft;
    const std::unique_ptr<HeadPredictor> m_head;  ///< null: the model has none, or does not use it
    ModelSnapshots m_snapshots;
    SequenceCache m_idle;
    SequenceFinder m_finder{m_model, m_snapshots, m_idle};
    std::mutex m_mutex;  ///< guards the structure of the lists; generations belong to the stepping thread
    std::condition_variable m_changed;  ///< something was submitted or cancelled
    Generations m_waiting;              ///< in order of submission
    Generations m_running;              ///< the one whose prompt was read last comes last
    BackgroundTasks m_tasks;
    std::string m_toldOfPictures;                ///< KnownPictures::note() when it was told last
    size_t m_mostRunning = Model::kMaxDecoding;  ///< fewer where memory was full
    GenerationId m_nextId = 1;
    StepCosts m_costs;
    std::optional<Clock::time_point> m_stepBegin;  ///< of one that m_costs is to be told of
    /// Steps of all that run, whose sequences nothing else touches meanwhile.
    std::unique_ptr<backend::DecodeQueue> m_ahead;
    std::optional<Clock::time_point> m_lastAhead;  ///< when it told of its last token
    backend::Program* m_ran = nullptr;             ///< the program of the last step
    std::vector<Planning> m_plannings;             ///< of those that wait, or were cancelled since
    std::vector<TaskPlanning> m_taskPlannings;     ///< the same
};

}  // namespace ingle::session
