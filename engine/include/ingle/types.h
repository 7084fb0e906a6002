/// Plain data shared by engine, host protocol and command line: tokens, messages, parameters, plans and
/// events.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingle/part.h"

namespace ingle {

using TokenId = int32_t;

enum class Role { System, User, Assistant };

struct ChatMessage {
    Role role = Role::User;
    std::vector<Part> parts;

    bool operator==(const ChatMessage&) const = default;
};

/// A message that is text alone.
inline ChatMessage textMessage(Role role, std::string text) {
    return {role, {{PartKind::Text, std::move(text), {}}}};
}

/// Added to the logit of one token.
struct LogitBias {
    TokenId id = 0;
    float bias = 0;

    bool operator==(const LogitBias&) const = default;
};

/// How the next token is chosen. The generator is a counter-based function of (seed, position), so an answer
/// that is continued after a crash equals the uninterrupted one.
struct SamplerParams {
    float temperature = 0.7f;  ///< 0 means greedy: the highest logit, ties to the lowest id
    int32_t topK = 40;         ///< 0 keeps all
    float typicalP = 1;        ///< locally typical sampling; 1 keeps all
    float topP = 0.95f;        ///< 1 keeps all
    float minP = 0.05f;        ///< least probability, as a share of the best one's; 0 keeps all
    float repeatPenalty = 1;   ///< logits of recent tokens are divided (multiplied if negative) by it; 1: off
    float frequencyPenalty = 0;  ///< taken off a token's logit for each recent occurrence
    float presencePenalty = 0;   ///< taken off a token's logit once if it occurred recently
    uint32_t lastN = 64;         ///< how many of the last tokens of prompt and answer are "recent"
    std::vector<LogitBias> logitBias;
    uint64_t seed = 0;

    bool operator==(const SamplerParams&) const = default;
};

enum class BackendChoice { Auto, Cpu, Vulkan };
enum class KvType { F32, F16, Q8 };
enum class ActivationType {
    Auto,  ///< matmuls may round activations to 8-bit blocks where a kernel gains from it
    F32,   ///< activations stay float32 (for comparisons)
};

/// How graphics drivers are tried out, which may crash or hang.
struct DriverTrials {
    /// Path and arguments of a program that calls runDeviceProbe(); `--left-out IDENTITY` is added for each
    /// device to leave out. Empty: devices are used untried, and only when asked for.
    std::vector<std::string> command;
    /// An existing folder for what was learned about drivers and the processor, and for what drivers
    /// compiled. Empty: none of it is kept.
    std::string folder;
};

struct LoadOptions {
    BackendChoice backend = BackendChoice::Auto;
    std::string device;          ///< part of the name of the device to compute on; empty: the best one
    uint32_t threads = 0;        ///< 0: one per physical core
    uint32_t contextTokens = 0;  ///< 0: chosen by memory and training; no limit for recurrent models
    KvType kv = KvType::F16;
    ActivationType activations = ActivationType::Auto;
    bool fuse = true;               ///< compute ops together where that is faster
    bool referenceKernels = false;  ///< only the scalar reference kernels (used after a crash)
    bool loadAnyway = false;        ///< also what does not fit the memory that is free
    /// The id of a process that had loaded this and crashed or hung: a device that it was using is not used
    /// again. 0: there was none.
    uint32_t crashedProcess = 0;
    std::map<std::string, std::string> overrides;  ///< metadata key → value, e.g. group_norm_epsilon=1e-5
    /// A small model with the same vocabulary, which guesses what this one writes (Guesses::Draft). Empty:
    /// none.
    std::string draft;
    DriverTrials trials;  ///< each process has its own: no part of the protocol
};

/// What makes a model fit.
enum class FitRemedy {
    ShorterContext,
    SmallerCache,  ///< keys and values as 8-bit blocks
    SmallerModel,  ///< the file imported as a smaller one
};

/// A remedy that would do, with everything that belongs to it.
struct FitChoice {
    FitRemedy remedy = FitRemedy::ShorterContext;
    uint32_t contextTokens = 0;  ///< 0: no limit (recurrent models)
    KvType kv = KvType::F16;
    std::string quant;       ///< of a smaller model, as `ingle import --quant` knows it
    uint64_t needBytes = 0;  ///< of memory, then

    bool operator==(const FitChoice&) const = default;
};

/// What a model takes of memory where the processor computes.
struct MemoryEstimate {
    uint64_t weightBytes = 0;     ///< the file: all of it is read for each token, so it must stay in memory
    uint64_t cacheBytes = 0;      ///< what one conversation remembers when its context is full
    uint64_t workBytes = 0;       ///< buffers of a step, the vocabulary, the program itself
    uint64_t mostBytes = 0;       ///< in all, when several conversations have filled what is kept of them
    uint64_t availableBytes = 0;  ///< what was free when this was made; 0: not known
    uint64_t usableBytes = 0;     ///< what the computer has, or its limit is
    std::vector<FitChoice> choices;  ///< remedies, where it does not fit

    uint64_t needBytes() const { return weightBytes + cacheBytes + workBytes; }
    bool fits() const { return availableBytes == 0 || needBytes() <= availableBytes; }
};

/// Of English text, a rule of thumb that OpenAI's help page "What are tokens and how to count them?" states.
inline constexpr double kWordsPerToken = 0.75;

/// What `inspect` tells about a model file without loading its weights.
struct ModelInfo {
    std::string path;
    std::string name;    ///< general.name, else the file's stem
    std::string format;  ///< "GGUF v3", "rwkv.cpp", "llama2.c v0"
    std::string family;  ///< architecture string, e.g. "llama"
    uint64_t fileBytes = 0;
    uint64_t weightBytes = 0;
    uint64_t numParameters = 0;
    uint32_t numLayers = 0;
    uint32_t dim = 0;
    uint32_t vocabSize = 0;
    uint32_t trainedContext = 0;                 ///< 0: not stated
    std::map<std::string, uint64_t> quantBytes;  ///< quant type name → bytes of tensors stored in it
    std::string smallerQuant;   ///< what `ingle import --quant` would make much smaller; empty: nothing does
    uint64_t smallerBytes = 0;  ///< about as large as that would be
    std::string tokenizer;      ///< "llama", "gpt2", "bytes", or "none"
    /// "template" (the model's own), or the name of a built-in chat format; "none": it writes no answers.
    std::string promptFormat;
    std::string promptNote;    ///< why it is a built-in one: a sentence, or empty
    std::string chatTemplate;  ///< the model's own, which may not work; empty: the file has none
    MemoryEstimate memory;
    double foretoldTokensPerSecond = 0;  ///< of an answer on the processor; 0: nothing was measured yet
    std::string backend;                 ///< after load: "cpu"
    bool onProcessor = false;            ///< after load: it computes on the processor, not on a device
    std::string device;                  ///< after load: e.g. "AMD EPYC, 2 threads, avx512"
    std::string deviceNote;      ///< why it is not the device asked for, or the best: a sentence, or empty
    uint32_t contextTokens = 0;  ///< the context in use; 0: no limit (recurrent models)
    std::string contextNote;     ///< why it is a short one: a sentence, or empty
};

/// The block format of most of its bytes: "BF16"; empty where that is not known.
inline std::string mainQuant(const ModelInfo& info) {
    std::string name;
    uint64_t most = 0;
    for (const auto& [quant, bytes] : info.quantBytes) {
        if (bytes <= most) continue;
        most = bytes;
        name = quant;
    }
    return name;
}

/// This computer, as far as it decides which models fit.
struct ComputerInfo {
    std::string processor;        ///< its own name
    uint32_t threads = 0;         ///< physical cores: what computes unless `LoadOptions::threads` says more
    uint64_t installedBytes = 0;  ///< of memory
    uint64_t usableBytes = 0;     ///< less than that under the limit of a container or of a service
    uint64_t availableBytes = 0;  ///< what may be taken now
    uint64_t readBytesPerSecond = 0;  ///< of memory, by all threads; 0: not measured yet

    bool operator==(const ComputerInfo&) const = default;
};

/// What computes, and why when it is not what was asked for. As in ModelInfo.
struct DeviceStatus {
    std::string device;
    std::string note;

    bool operator==(const DeviceStatus&) const = default;
};

/// When a device computes.
enum class DeviceUse {
    Automatic,  ///< unless another one is asked for
    OnRequest,
    Never,
};

/// Something that can compute.
struct DeviceEntry {
    std::string name;
    std::string kind;  ///< "processor", "discrete", "integrated", "virtual", "software", "other"
    uint64_t memoryBytes = 0;
    std::string driver;  ///< for people; of the processor its instruction set
    DeviceUse use = DeviceUse::Never;
    std::string refusal;  ///< why it is not used by itself, or never: a sentence, or empty
};

struct DeviceList {
    std::vector<DeviceEntry> devices;  ///< the processor first
    std::string note;                  ///< why there are no others: a sentence, or empty
};

/// What becomes of a conversation that outgrows the context.
enum class WhenFull {
    DropOldest,  ///< whole turns, oldest first
    Refuse,      ///< nothing is dropped unseen: the request fails with ErrorId::ConversationFull
};

/// Where guesses of an answer's next tokens come from. Right ones make it faster, and none changes it: the
/// processor computes the same logits with and without. Other devices do not guess.
enum class Guesses {
    Off,
    LookUp,  ///< in prompt and answer, as what came before goes on
    Draft,   ///< the draft model's (LoadOptions::draft)
};

/// Whether a model thinks before it answers.
enum class Thinking {
    AsUsual,  ///< as its chat template has it
    On,
    Off,
};

/// How messages become a prompt.
struct PromptForm {
    std::string chatTemplate;  ///< Jinja, in place of the model's own; empty: that
    /// Told to the template; one that does not ask for it goes on as usual, and the plan's note says so.
    Thinking thinking = Thinking::AsUsual;
    /// What the answer may call: a JSON list of {"type": "function", "function": {"name", "description",
    /// "parameters"}}, as OpenAI's interface has it. A template that does not ask for tools has them told
    /// as a system message. Empty: none.
    std::string tools;

    bool operator==(const PromptForm&) const = default;
};

/// Generations that run side by side; others wait.
inline constexpr uint32_t kMostAtOnce = 8;

/// One generation. `messages` is the whole branch, oldest first, ending with the user's message.
struct GenerateRequest {
    std::vector<ChatMessage> messages;
    std::vector<uint32_t> pinned;  ///< indices of messages that must not be dropped
    SamplerParams sampler;
    uint32_t maxTokens = 0;          ///< 0: until the model ends or the context is full (see Generation)
    std::vector<std::string> stops;  ///< stop strings beside those of the prompt format
    std::vector<TokenId>
        resumeIds;  ///< ids of this answer that exist already; generation continues after them
    /// What the answer begins with before those, and no model wrote here: it is tokenized, and no part of
    /// what `maxTokens` and `stops` speak of.
    std::string resumeText;
    std::string rawPrompt;  ///< when `messages` is empty: text to continue, no chat format
    /// Names the conversation whose memory may be kept on disk (1 to 64 letters, digits, '-' or '_'); empty
    /// keeps nothing (a private chat).
    std::string conversation;
    std::vector<TokenId>
        rawTokens;  ///< when both are empty: ids to continue, exactly, no BOS, no end token honoured
    /// What the answer has to follow, at most one of them: a GBNF grammar, or a JSON Schema, whose answer is
    /// JSON (docs/structured-answers.md). Not with rawTokens.
    std::string grammar;
    std::string jsonSchema;
    WhenFull whenFull = WhenFull::DropOldest;
    uint32_t contextTokens = 0;  ///< how much of the model's context is used at most; 0: all of it
    PromptForm promptForm;
    Guesses guesses = Guesses::LookUp;
    /// Of each token of the answer its probability is told and the likeliest so many (at most kMostTop): see
    /// TokenChunk::chances. 0: nothing.
    uint32_t chances = 0;
};
inline constexpr uint32_t kMostTop = 20;

/// What the model will see. Indices refer to GenerateRequest::messages.
struct PromptPlan {
    std::vector<uint32_t> kept;
    std::vector<uint32_t> dropped;  ///< oldest turns that did not fit
    uint32_t promptTokens = 0;
    uint32_t contextTokens = 0;  ///< 0: no limit
    uint64_t promptHash = 0;     ///< hash of the prompt's token ids
    std::string note;  ///< why the prompt has another form than the model's template: a sentence, or empty
};

/// The prompt of a request as somebody may look at it, before it is read.
struct PromptPreview {
    PromptPlan plan;
    uint32_t room = 0;  ///< for the prompt, beside an answer; 0: no limit
    /// [message][part] of GenerateRequest::messages: tokens of each part's text by itself. What the chat
    /// format puts around them is the rest of plan.promptTokens.
    std::vector<std::vector<uint32_t>> partTokens;
    std::string text;  ///< exactly what is tokenized, texts of special tokens among it
};

enum class StopReason {
    EndOfText,    ///< the model emitted an end token or a stop string
    MaxTokens,    ///< maxTokens reached
    ContextFull,  ///< no room left in the context
    Cancelled,
};

struct GenerateStats {
    uint32_t promptTokens = 0;
    uint32_t cachedTokens = 0;  ///< part of the prompt that was still in memory
    uint32_t newTokens = 0;
    double prefillMs = 0;
    double decodeMs = 0;
    uint32_t guessedTokens = 0;  ///< that were fed as guesses
    uint32_t takenTokens = 0;    ///< and turned out to be right
};

/// A token that might stand at a place.
struct ScoredToken {
    TokenId id = 0;
    std::string text;   ///< its bytes, which may be half a character
    double p = 0;       ///< the model's probability, before the sampler's filters and temperature
    bool ends = false;  ///< no text: the answer would end here

    bool operator==(const ScoredToken&) const = default;
};

/// What stood to be chosen at the place of an answer's token.
struct TokenChances {
    ScoredToken chosen;
    std::vector<ScoredToken> top;  ///< likeliest first, ties by the lowest id

    bool operator==(const TokenChances&) const = default;
};

/// A token step as the caller sees it: exact ids, and the text that became complete with them (may be none
/// while a UTF-8 sequence or a possible stop string is undecided).
struct TokenChunk {
    std::vector<TokenId> ids;
    std::vector<PartPiece> pieces;
    std::vector<TokenChances> chances = {};  ///< of each of `ids`, where the request asks for them
};

/// Adds a later step to one that is still to be handed over.
inline void append(TokenChunk& chunk, const TokenChunk& later) {
    chunk.ids.insert(chunk.ids.end(), later.ids.begin(), later.ids.end());
    chunk.chances.insert(chunk.chances.end(), later.chances.begin(), later.chances.end());
    for (const PartPiece& piece : later.pieces) append(chunk.pieces, piece);
}

struct GenerateResult {
    StopReason reason = StopReason::EndOfText;
    GenerateStats stats;
    /// Text that only the end decided: what had been held back as a possible stop string, when none came. It
    /// belongs to ids that were sent before.
    std::vector<PartPiece> tail;
    std::string withheld;  ///< bytes produced but not sent as text (start of a stop string, half a character)
};

/// Progress of a long operation: fraction in [0, 1] and what is happening ("reading the prompt").
using ProgressFn = std::function<void(double fraction, const char* phase)>;

}  // namespace ingle
