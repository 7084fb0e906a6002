/// The contract between the engine and what computes. Nothing calls ops one by one: a backend compiles a
/// whole plan, so that it may record it once (Vulkan) or walk its records (CPU).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/memory.h"
#include "engine/backend/plan.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::backend {

/// Consecutive rows of a step that belong to one sequence. Their positions follow the sequence's length.
struct SequenceRun {
    SequenceMemory* sequence = nullptr;
    uint32_t numRows = 0;
    /// Where the plan has Mask::Prefix: the sequence's first tokens that all of its tokens see. They are fed
    /// in one step, and it is the same in all steps that follow.
    uint32_t prefixTokens = 0;
    /// How many of the last rows may be taken back, at most MemorySpec::mostGuesses(). Where states are not
    /// in chunks, the processor keeps them as they are before these (SequenceMemory::statesKeptAt()).
    uint32_t numGuesses = 0;
    /// Its rows are those of a picture: they are read from Step::inputRows where the plan has
    /// OpCode::PictureRows, and see each other where it has Mask::Picture.
    bool isPicture = false;
};

/// The values of one step: tokens of all runs in order, and the rows (ascending) whose logits are wanted.
struct Step {
    std::span<const TokenId> tokens;
    std::span<const SequenceRun> runs;
    std::span<const uint32_t> logitRows;
    /// Asked from time to time while the step runs; true ends it. Null: it runs to its end.
    std::function<bool()> cancelled = nullptr;
    /// Of a plan with OpCode::InputRows: what its ops read, a row for each token; with OpCode::PictureRows: a
    /// row for each token of the runs that are pictures.
    std::span<const float> inputRows = {};
    /// Of a plan with one of these ops: what RopeParams::axes count in, for each token. Empty: the position
    /// of each in its sequence.
    std::span<const Coordinates> coordinates = {};
    /// Of Plan::parts, if there are any: the one that is run.
    uint32_t part = 0;
};

/// What an op reads or makes, while somebody observes.
struct SeenValue {
    std::string_view name;
    uint32_t width = 0;
    std::span<const float> rows;  ///< back to back
};

/// An op that has ended.
struct SeenOp {
    const Op& op;
    std::span<const PlanWeight> weights;  ///< Plan::weights, which op.weights count in
    double seconds = 0;
    std::span<const SeenValue> inputs;   ///< of op.inputs, if the observer wants them
    std::span<const SeenValue> outputs;  ///< of op.outputs
};

/// Sees each op of a step as it ends: for tracing, profiling and statistics of what matrices are given.
class OpObserver {
  public:
    virtual ~OpObserver() = default;
    /// Whether it looks at inputs, too, which a device has to bring.
    virtual bool wantsInputs() const { return false; }
    /// All of it is valid during the call.
    virtual void afterOp(const SeenOp& seen) = 0;
};

/// A sequence that a decode queue feeds, and how its tokens are chosen.
struct DecodeRow {
    SequenceMemory* sequence = nullptr;
    TokenId token = 0;  ///< fed first
    SamplerParams sampler;
    uint64_t position = 0;      ///< in the answer, of the first token that is chosen
    uint32_t numIds = 0;        ///< tokens are chosen below it: vocabularies are padded
    uint32_t prefixTokens = 0;  ///< of the sequence, see SequenceRun
};

/// What a decode queue is to do.
struct DecodeOrder {
    std::vector<DecodeRow> rows;  ///< of each step, of different sequences
    uint32_t maxSteps = 0;        ///< steps it may run ahead
};

/// Feeds sequences the tokens it chooses itself. Steps are queued ahead of the host, which only reads what
/// came out. As long as there is a queue, nothing else uses its program or sequences; its end takes back the
/// steps that next() has not told of.
class DecodeQueue {
  public:
    virtual ~DecodeQueue() = default;
    /// Waits for the oldest step: for each row the token that Sampler::sample() would have chosen after it.
    /// Every sequence holds one token more. Valid until the next call; at most maxSteps calls. Errors:
    /// Device; then only the end is left.
    virtual Result<std::span<const TokenId>> next() = 0;
    /// Plan::hidden of a row of the step that the last next() told of; empty where the plan has none. Valid
    /// until the next call.
    virtual std::span<const float> hiddenRow(uint32_t row) const = 0;
    /// From now on no further steps are queued: next() tells of those that are on their way, as long as there
    /// are any.
    virtual void stopQueueing() = 0;
    virtual bool hasNext() const = 0;
};

/// A plan made executable. One thread.
class Program {
  public:
    virtual ~Program() = default;
    /// Runs the step and advances each sequence by its run's rows. After an error the sequences are as
    /// before; but once the step was cancelled those are empty whose recurrent states cannot go back. Errors:
    /// InvalidArgument (a token outside the vocabulary, too many rows), OutOfMemory (no page left), Device,
    /// Cancelled.
    virtual Status run(const Step& step) = 0;
    /// The output (Plan::output: logits, or other rows) of the index-th entry of the last step's logitRows;
    /// valid until the next run.
    /// Errors: Device when they are not finite.
    virtual Result<std::span<const float>> readOutput(uint32_t index) = 0;
    /// Plan::hidden of the last step, or PlanPart::output, a row for each token; empty where the plan has
    /// none. Valid until the next run.
    virtual std::span<const float> hiddenRows() const { return {}; }
    /// A queue that decodes; null where the backend, or one of such samplers, needs the host for each token,
    /// or there are too many rows. Errors: as run().
    virtual Result<std::unique_ptr<DecodeQueue>> decodeAhead(const DecodeOrder&) { return nullptr; }
    /// Shows the ops of the steps that follow to `observer`; null stops it. A step may be slower so.
    virtual void observe(OpObserver* observer) = 0;
};

/// What the engine has to know of whatever computes a model.
struct BackendFacts {
    /// It computes on the processor: weights stay in the mapped file and memory is the computer's own, so
    /// that a model may be kept idle beside another one; the speed follows from what the processor was
    /// measured to do; the same instruction set makes the same tokens.
    bool onProcessor = false;
    /// The last rows of a run may be guesses (SequenceRun::numGuesses): in steps of up to kMostAtOnce rows
    /// each of them gives what it gives when it is fed alone, bit by bit. On other hardware than the
    /// processor that depends on the compiler of the driver, too, and has to be tried.
    bool takesGuesses = false;
    /// Programs hand over Plan::hidden.
    bool hasHiddenRows = false;
    /// Its memory is not the computer's, so that a model may be too large for one of them and fit both.
    bool hasOwnMemory = false;
};

/// What a device can do at most, whatever it computes. 0: not measured.
struct BackendPeaks {
    double bytesPerSecond = 0;     ///< that copying memory reads and writes
    double productsPerSecond = 0;  ///< multiply-adds of what is in registers, as matrices are multiplied
};

class Backend {
  public:
    /// Rows of a prompt that promptRows() counts where nothing is known of more.
    static constexpr uint32_t kPromptRows = 64;
    virtual ~Backend() = default;
    virtual std::string_view name() const = 0;   ///< "cpu"
    virtual std::string deviceName() const = 0;  ///< for people
    virtual BackendFacts facts() const { return {}; }
    virtual bool supports(OpCode code) const = 0;
    /// Measures it now. Errors: OutOfMemory, Device.
    virtual Result<BackendPeaks> measurePeaks() { return BackendPeaks{}; }
    virtual Result<std::unique_ptr<MemoryPool>> createMemory(const MemorySpec& spec,
                                                             const MemoryOptions& options) = 0;
    /// What a program of `plan` and sequences of such memory take beside weights of what checkRoom() looks
    /// at; 0: that is not counted.
    virtual uint64_t workBytes(const Plan&, const MemorySpec&, const MemoryNeed&) const { return 0; }
    /// Whether the weights of `plan`, and what sequences of such memory need, fit what is free now. Errors:
    /// OutOfMemory.
    virtual Status checkRoom(const Plan&, const MemorySpec&, const MemoryNeed&) const { return {}; }
    /// `memory` is where the sequences of its steps live. Errors: InvalidArgument (an op finds no
    /// place in `memory`), Unsupported (an op), OutOfMemory.
    virtual Result<std::unique_ptr<Program>> compile(const Plan& plan, MemoryPool& memory) = 0;
    /// Whether programs round activations to bytes (ActivationType::Auto), which is an approximation.
    virtual bool roundsActivations() const { return false; }
    /// Rows of a prompt that are worth feeding in one step: with more, each takes as long.
    virtual uint32_t promptRows() const { return kPromptRows; }
    /// From now on compile() does without one more kind of optional kernels: drivers may get those wrong and
    /// the simple ones right. False: there was none left.
    virtual bool simplify() { return false; }
    /// What computes other, smaller models beside the one that this was made for.
    virtual Backend& forOthers() { return *this; }
};

}  // namespace ingle::backend
