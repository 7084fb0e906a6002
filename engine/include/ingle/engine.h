/// The engine as host and command line see it: inspect, load, plan, generate, cancel. Implemented in
/// engine/session.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/reading.h"
#include "ingle/receipt.h"
#include "ingle/result.h"
#include "ingle/score.h"
#include "ingle/snapshots.h"
#include "ingle/types.h"

namespace ingle {

/// Reads the header of a model file: family, sizes, quant mix, tokenizer, memory need.
/// Errors: Io, Corrupt, Unsupported (unknown format, family, block type or tokenizer, named in the message).
Result<ModelInfo> inspectModel(const std::string& path, const LoadOptions& options = {});

struct TokenizeOptions {
    bool addSpecial = false;    ///< add BOS/EOS as the vocabulary asks
    bool parseSpecial = false;  ///< recognise special token text
};

/// The tokenizer of a model file; vocabulary-only files work too. Immutable: any thread.
class Vocabulary {
  public:
    virtual ~Vocabulary() = default;
    static Result<std::unique_ptr<Vocabulary>> open(const std::string& path);
    virtual Result<std::vector<TokenId>> tokenize(std::string_view text,
                                                  const TokenizeOptions& options) const = 0;
    /// The bytes those ids encode. Errors: InvalidArgument for an id outside the vocabulary.
    virtual Result<std::string> detokenize(std::span<const TokenId> ids) const = 0;
};

/// Receives what happens to one generation. Called on the thread that calls Engine::step().
class GenerateSink {
  public:
    virtual ~GenerateSink() = default;
    virtual void onPlan(const PromptPlan& plan) = 0;                         ///< first, once
    virtual void onProgress(uint32_t promptDone, uint32_t promptTotal) = 0;  ///< while the prompt is read
    virtual void onTokens(const TokenChunk& chunk) = 0;
    /// Another device computes from here on. Prompt and answer so far are read again, which is told by
    /// onProgress(); no token comes twice.
    virtual void onDevice(const DeviceStatus&) {}
    virtual void onDone(const GenerateResult& result) = 0;  ///< last, unless onError
    virtual void onError(const Error& error) = 0;           ///< last, unless onDone
};

using GenerationId = uint64_t;

/// What messages take of a context.
struct PromptSize {
    uint32_t tokens = 0;  ///< with all that the chat format puts around them
    uint32_t room = 0;    ///< for all that is asked, beside an answer; 0: no limit
};

/// One loaded model and its scheduler. Not thread-safe: one thread calls everything except cancel(), which
/// any thread may call and which takes effect within one step.
class Engine {
  public:
    virtual ~Engine() = default;
    /// Maps and checks the file, compiles the model's programs. `progress` may be null. What conversations
    /// leave in memory is kept in `snapshots`.
    static Result<std::unique_ptr<Engine>> load(const std::string& path, const LoadOptions& options,
                                                const ProgressFn& progress, const Snapshots& snapshots = {});

    virtual const ModelInfo& info() const = 0;
    /// May outlive the engine.
    virtual std::shared_ptr<const Vocabulary> vocabulary() const = 0;

    /// Renders, tokenizes and decides which oldest turns do not fit. Errors: InvalidArgument when even the
    /// last message does not fit, when turns would have to be dropped that the request does not want dropped,
    /// or a pinned index is out of range; Unsupported when the model has no
    /// tokenizer.
    virtual Result<PromptPlan> plan(const GenerateRequest& request) const = 0;

    /// The same as somebody may look at it. Errors: as plan(), but InvalidArgument (GrammarRefused) when the
    /// answer could not follow its rules.
    virtual Result<PromptPreview> preview(const GenerateRequest& request) const = 0;

    /// Nothing is dropped. Errors: Unsupported when the model has no tokenizer.
    virtual Result<PromptSize> measure(std::span<const ChatMessage> messages) const = 0;

    /// Queues a generation; `sink` must outlive it. Up to kMostAtOnce run at once, the others wait; what each
    /// of them gets does not depend on the others.
    virtual Result<GenerationId> submit(GenerateRequest request, GenerateSink& sink) = 0;
    /// Queues a look at an answer that exists: what the sampler would choose at its places, all tokens fed
    /// at once. On the processor it chooses as a generation does, bit for bit. Runs while no generation
    /// waits or runs; `sink` must outlive it.
    virtual Result<GenerationId> submit(ScoreRequest request, ScoreSink& sink) = 0;
    /// Queues a text to be read ahead and kept on the disk, so that every later prompt that begins with it
    /// goes on from there. Runs while nothing else does; `sink` must outlive it.
    virtual Result<GenerationId> submit(ReadRequest request, ReadSink& sink) = 0;
    /// What makes answers now. The model's hash is computed in the background, where there are snapshots.
    virtual Receipt receipt() const = 0;
    /// Does one step of work: a token for each answer being written, and a part of one prompt. False when
    /// nothing is left to do.
    virtual bool step() = 0;
    virtual void cancel(GenerationId id) = 0;

    /// Feeds `tokens` exactly as given (no BOS) from an empty state in chunks of `chunkTokens` (0: the
    /// default) and hands each row of logits [vocabSize] to `row` in order. Errors: Device; unlike a
    /// generation it does not move to another one, since rows were handed out already.
    virtual Status logits(std::span<const TokenId> tokens, uint32_t chunkTokens,
                          const std::function<void(std::span<const float>)>& row) = 0;
};

}  // namespace ingle
