/// The engine's interface for the host and the command line: inspect a model, load it, plan a prompt,
/// generate, cancel. Implemented in engine/session.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/error_ids.h"
#include "ingle/pictures.h"
#include "ingle/reading.h"
#include "ingle/receipt.h"
#include "ingle/result.h"
#include "ingle/score.h"
#include "ingle/snapshots.h"
#include "ingle/types.h"

namespace ingle {

/// Reads the header of a model file: family, sizes, quant mix, tokenizer, memory need.
/// Errors: Io, Corrupt, InvalidArgument (an override), Unsupported (an unknown format, family, block type or
/// tokenizer, which the message names).
Result<ModelInfo> inspectModel(const std::string& path, const LoadOptions& options = {});

struct TokenizeOptions {
    bool addSpecial = false;    ///< add BOS and EOS if the vocabulary asks for them
    bool parseSpecial = false;  ///< recognise the texts of special tokens
};

/// The tokenizer of a model file; the file need not hold weights. It is immutable, so any thread may use it.
class Vocabulary {
  public:
    virtual ~Vocabulary() = default;
    /// Errors: Io, Corrupt, Unsupported (an unknown format or tokenizer, or a file without a tokenizer).
    static Result<std::unique_ptr<Vocabulary>> open(const std::string& path);
    virtual Result<std::vector<TokenId>> tokenize(std::string_view text,
                                                  const TokenizeOptions& options) const = 0;
    /// Returns the bytes that `ids` stand for. Errors: InvalidArgument for an id outside the vocabulary.
    virtual Result<std::string> detokenize(std::span<const TokenId> ids) const = 0;
};

/// Receives the events of one generation. The thread that calls Engine::step() calls every function.
class GenerateSink {
  public:
    virtual ~GenerateSink() = default;
    /// How much of the pictures of the messages is encoded, from 0 to 1; before the plan.
    virtual void onPictures(double /*fraction*/) {}
    virtual void onPlan(const PromptPlan& plan) = 0;                         ///< once, before all that follow
    virtual void onProgress(uint32_t promptDone, uint32_t promptTotal) = 0;  ///< tokens read, of all to read
    virtual void onTokens(const TokenChunk& chunk) = 0;
    /// Another device computes from here on. It reads the prompt and the answer so far again, which
    /// onProgress() reports; no token is sent twice.
    virtual void onDevice(const DeviceStatus&) {}
    virtual void onDone(const GenerateResult& result) = 0;  ///< last, unless onError
    virtual void onError(const Error& error) = 0;           ///< last, unless onDone
};

using GenerationId = uint64_t;

/// How much of a context messages take.
struct PromptSize {
    uint32_t tokens = 0;  ///< of the messages and of the markup that the chat format puts around them
    uint32_t room = 0;    ///< tokens that a prompt may have, so that an answer also fits; 0: no limit
};

/// One loaded model and its scheduler. One thread calls everything except plan(), preview(), measure() and
/// cancel(), which any thread may call; cancel() takes effect within one step.
class Engine {
  public:
    virtual ~Engine() = default;
    /// Maps and checks the file and compiles the model's programs. `progress` may be null. The states of
    /// conversations are kept in `snapshots`. Errors: as inspectModel(); Unsupported for a model that only
    /// embeds, OutOfMemory, Device (the device that was asked for cannot be used), and those of a draft model
    /// (ErrorId::DraftUnfit).
    static Result<std::unique_ptr<Engine>> load(const std::string& path, const LoadOptions& options,
                                                const ProgressFn& progress, const Snapshots& snapshots = {});

    virtual const ModelInfo& info() const = 0;
    /// The model's tokenizer, which may outlive the engine.
    virtual std::shared_ptr<const Vocabulary> vocabulary() const = 0;

    /// Renders and tokenizes the prompt and decides which of the oldest turns do not fit. Errors:
    /// InvalidArgument if the prompt is too long though all turns are dropped that may be (MessageTooLong),
    /// if it is too long and the request allows no drops (ConversationFull), if it is empty, if a pinned
    /// index is out of range or if the tools are malformed; Unsupported if the model has no tokenizer.
    virtual Result<PromptPlan> plan(const GenerateRequest& request) const = 0;

    /// Plans a request and returns its prompt as text, so that people can look at it. Errors: as plan(), and
    /// InvalidArgument (GrammarRefused) if the request's grammar or schema cannot be used.
    virtual Result<PromptPreview> preview(const GenerateRequest& request) const = 0;

    /// Measures the prompt of all these messages; drops none. Errors: Unsupported if the model has no
    /// tokenizer.
    virtual Result<PromptSize> measure(std::span<const ChatMessage> messages) const = 0;

    /// Returns how the model sees a picture that takePicture() was given, now or in an earlier process whose
    /// snapshots have its rows. Any thread. Errors: PictureNeeded; CannotSee.
    virtual Result<PictureFacts> findPicture(const std::string& /*hash*/) { return cannotSee(); }
    /// Takes a picture that messages may name from now on (PartKind::Image). It is encoded by the first
    /// answer that needs it, and may be forgotten when many others come: then those who name it are told that
    /// it is needed (PictureNeeded). Any thread. Errors: CannotSee; InvalidArgument (too narrow); those of
    /// the vision file.
    virtual Result<PictureFacts> takePicture(const std::string& /*hash*/, const Picture&) {
        return cannotSee();
    }

    /// Notes why a picture cannot be read: prompts whose question has it fail so, and in earlier messages its
    /// description stands for it. Any thread.
    virtual void refusePicture(const std::string& /*hash*/, const Error& /*why*/) {}

    /// Queues a generation; `sink` must outlive it. Up to kMostAtOnce run at once, and the others wait. An
    /// answer does not depend on what runs beside it.
    virtual Result<GenerationId> submit(GenerateRequest request, GenerateSink& sink) = 0;
    /// Queues the scoring of an existing answer: what the sampler would choose at each of its positions. The
    /// tokens are fed many at a time; on the processor the choices are still those of a generation, bit for
    /// bit. It runs while no generation waits or runs; `sink` must outlive it.
    virtual Result<GenerationId> submit(ScoreRequest request, ScoreSink& sink) = 0;
    /// Queues a text to be read ahead. Its state is kept on disk, and every later prompt that begins with
    /// this text continues from there. It runs while nothing else does; `sink` must outlive it.
    virtual Result<GenerationId> submit(ReadRequest request, ReadSink& sink) = 0;
    /// Returns the receipt of an answer that ends now. The model's hash is computed in the background, and
    /// only if there are snapshots.
    virtual Receipt receipt() const = 0;
    /// Does one step of work: a token for each answer being written, and a part of one prompt. Returns false
    /// if nothing is left to do.
    virtual bool step() = 0;
    virtual void cancel(GenerationId id) = 0;

    /// Feeds `tokens` exactly as given (no BOS) from an empty state in chunks of `chunkTokens` (0: the
    /// default), and passes the logits of each token, [vocabSize], to `row` in order. Errors: Device. Unlike
    /// a generation it does not move to another device, since `row` has had some of the logits.
    virtual Status logits(std::span<const TokenId> tokens, uint32_t chunkTokens,
                          const std::function<void(std::span<const float>)>& row) = 0;

  protected:
    /// The error of a model that has no vision file.
    tl::unexpected<Error> cannotSee() const {
        return withId<ErrorId::CannotSee>(
            fail(ErrorCode::Unsupported, "{}: the model has no vision file, so it cannot see pictures",
                 info().path),
            info().path);
    }
};

}  // namespace ingle
