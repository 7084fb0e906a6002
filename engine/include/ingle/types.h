/// Plain data that engine, host protocol and command line share: tokens, messages, parameters, plans and
/// results.
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
    /// A system message that the application's developer wrote, which some chat templates tell apart.
    bool fromDeveloper = false;
    std::string name = {};  ///< of who says it, for chat templates that tell several apart; empty: none

    bool operator==(const ChatMessage&) const = default;
};

/// Makes a message that consists of one text.
inline ChatMessage textMessage(Role role, std::string text) {
    return {role, {{PartKind::Text, std::move(text), {}}}};
}

/// A number that is added to the logit of one token.
struct LogitBias {
    TokenId id = 0;
    float bias = 0;

    bool operator==(const LogitBias&) const = default;
};

/// How the sampler chooses the next token. Its random numbers are a function of (seed, position), so an
/// answer that continues after a crash equals the uninterrupted one.
struct SamplerParams {
    float temperature = 0.7f;    ///< 0 means greedy: the highest logit, ties to the lowest id
    int32_t topK = 40;           ///< 0 keeps all
    float typicalP = 1;          ///< locally typical sampling; 1 keeps all
    float topP = 0.95f;          ///< 1 keeps all
    float minP = 0.05f;          ///< least probability, as a share of the likeliest token's; 0 keeps all
    float repeatPenalty = 1;     ///< divides logits of recent tokens (multiplies negative ones); 1: off
    float frequencyPenalty = 0;  ///< subtracted from a token's logit for each recent occurrence
    float presencePenalty = 0;   ///< subtracted from a token's logit once if it occurred recently
    uint32_t lastN = 64;         ///< how many of the last tokens of prompt and answer are "recent"
    float topNSigma = 0;         ///< keeps logits within so many standard deviations of the best; 0 keeps all
    float xtcProbability = 0;    ///< how often all likely tokens but the least likely are left out; 0: never
    float xtcThreshold = 0.1f;   ///< from which probability on a token is one of those
    float dryMultiplier = 0;     ///< penalty of a token that goes on with a repetition; 0: off
    float dryBase = 1.75f;       ///< by which it grows with each repeated token
    uint32_t dryAllowed = 2;     ///< how many tokens may be repeated without a penalty
    uint32_t dryLastN = UINT32_MAX;        ///< how many of the last tokens are searched for repetitions
    std::vector<std::string> dryBreakers;  ///< texts that no repetition goes across
    std::vector<LogitBias> logitBias;
    uint64_t seed = 0;

    bool operator==(const SamplerParams&) const = default;
};

enum class BackendChoice { Auto, Cpu, Vulkan };
/// The format of the keys and values that attention keeps.
enum class KvType { F32, F16, Q8 };
/// Where these keys and values lie while a graphics device computes.
enum class KvMemory {
    Device,
    Main,  ///< the computer's memory, which the device reads: slower, but leaves its own to the weights
};
/// The format of the activations that matrix products read.
enum class ActivationType {
    Auto,  ///< they may be rounded to 8-bit blocks where that makes a kernel faster
    F32,   ///< they stay float32 (for comparisons)
};

/// How graphics drivers, which may crash or hang, are tried out.
struct DriverTrials {
    /// Path and arguments of a program that calls runDeviceProbe(); `--left-out IDENTITY` is added for each
    /// device to leave out. If it is empty, drivers are not tried, and a device is used only on request.
    std::vector<std::string> command;
    /// An existing folder for the results of trials, the measured speeds of the processor and the drivers'
    /// compiled shaders. Empty: nothing is kept.
    std::string folder;
};

struct LoadOptions {
    BackendChoice backend = BackendChoice::Auto;
    std::string device;  ///< part of the name of the device to compute on; empty: the best one
    /// How much of a graphics device's memory the model may take, in bytes; 0: all that is free. Layers for
    /// which there is no room stay with the processor.
    uint64_t deviceBytes = 0;
    uint32_t threads = 0;        ///< 0: one per physical core
    uint32_t contextTokens = 0;  ///< 0: chosen by memory and training; no limit for recurrent models
    KvType kv = KvType::F16;
    KvMemory kvMemory = KvMemory::Device;
    ActivationType activations = ActivationType::Auto;
    bool fuse = true;               ///< compute ops together where that is faster
    bool referenceKernels = false;  ///< only the scalar reference kernels (used after a crash)
    bool loadAnyway = false;        ///< load the model even if it does not fit into the free memory
    /// The id of a process that had loaded this model and crashed or hung: a device that it used is not used
    /// again. 0: there was none.
    uint32_t crashedProcess = 0;
    std::map<std::string, std::string> overrides;  ///< metadata key → value, e.g. group_norm_epsilon=1e-5
    /// Path of a small model with the same vocabulary, or of a head for the model (EAGLE-3), which predicts
    /// tokens of the answer (Guesses::Draft). Empty: none.
    std::string draft;
    /// Path of the model's vision file, which is loaded when the first picture comes. Empty: one that fits,
    /// in the model's folder, where there is one.
    std::string visionFile;
    DriverTrials trials;  ///< not part of the protocol, since each process has its own
};

/// A change that makes a model fit into memory.
enum class FitRemedy {
    ShorterContext,
    SmallerCache,  ///< keys and values as 8-bit blocks
    SmallerModel,  ///< a smaller file, made by an import
};

/// A remedy that suffices, with the options it needs.
struct FitChoice {
    FitRemedy remedy = FitRemedy::ShorterContext;
    uint32_t contextTokens = 0;  ///< 0: no limit (recurrent models)
    KvType kv = KvType::F16;
    std::string quant;       ///< name for `ingle import --quant`; empty unless a smaller model is needed
    uint64_t needBytes = 0;  ///< memory that the model then needs

    bool operator==(const FitChoice&) const = default;
};

/// How much memory a model takes when the processor computes.
struct MemoryEstimate {
    uint64_t weightBytes = 0;        ///< weights that must stay in memory, since each token reads them
    uint64_t cacheBytes = 0;         ///< keys and values, or state, of one conversation with a full context
    uint64_t workBytes = 0;          ///< buffers of a step, the vocabulary, the program itself
    uint64_t mostBytes = 0;          ///< in all, when the caches of several conversations are full
    uint64_t availableBytes = 0;     ///< free memory at the time of the estimate; 0: not known
    uint64_t usableBytes = 0;        ///< memory of the computer, or the limit of its container or service
    std::vector<FitChoice> choices;  ///< remedies if it does not fit

    uint64_t needBytes() const { return weightBytes + cacheBytes + workBytes; }
    bool fits() const { return availableBytes == 0 || needBytes() <= availableBytes; }
};

/// English words for each token. Source: OpenAI's help page "What are tokens and how to count them?".
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
    /// The quant mix that makes the file much smaller, for `ingle import --quant`; empty: there is none.
    std::string smallerQuant;
    uint64_t smallerBytes = 0;  ///< estimated size of the file in `smallerQuant`
    std::string tokenizer;      ///< kind of tokenizer, such as "llama", "gpt2" or "bytes"; or "none"
    /// "template" (the model's own), or the name of a built-in chat format. "none" for a model that only
    /// embeds.
    std::string promptFormat;
    std::string promptNote;    ///< why the chat format is a built-in one: a sentence, or empty
    std::string chatTemplate;  ///< the model's own, which may not work; empty: the file has none
    MemoryEstimate memory;
    double foretoldTokensPerSecond = 0;  ///< expected for an answer on the processor; 0: not measured yet
    /// After load: "cpu", "vulkan", "split" between both, or "remote" for a model of a server.
    std::string backend;
    bool onProcessor = false;    ///< after load: it computes on the processor, not on a device
    std::string device;          ///< after load: e.g. "AMD EPYC, 2 threads, avx512"
    std::string deviceNote;      ///< why it is not the requested or the best device: a sentence, or empty
    uint32_t contextTokens = 0;  ///< the context in use; 0: no limit (recurrent models)
    std::string contextNote;     ///< why the context is shorter than usual: a sentence, or empty
    bool seesPictures = false;   ///< messages may have pictures (PartKind::Image)
    std::string visionFile;      ///< path of the file by which it sees; empty: none
    /// Paths of the files in its folder that fit as well, where there are several: the best one first.
    std::vector<std::string> visionFiles;
    /// Why a vision file in its folder cannot be used, where it sees by none: a sentence that begins with its
    /// path; empty: there is none.
    std::string visionTrouble;
};

/// Returns the block format that takes the most bytes, such as "BF16"; empty if it is not known.
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

/// The facts of this computer that decide which models fit.
struct ComputerInfo {
    std::string processor;  ///< name of the processor
    uint32_t threads = 0;   ///< physical cores; as many threads compute unless LoadOptions asks for others
    uint64_t installedBytes = 0;      ///< installed memory
    uint64_t usableBytes = 0;         ///< the same, or the limit of the container or service if it is lower
    uint64_t availableBytes = 0;      ///< memory that is free now
    uint64_t readBytesPerSecond = 0;  ///< how fast all threads read memory; 0: not measured yet

    bool operator==(const ComputerInfo&) const = default;
};

/// The device that computes, and why if it is not the requested one (as in ModelInfo).
struct DeviceStatus {
    std::string device;
    std::string note;

    bool operator==(const DeviceStatus&) const = default;
};

/// When a device is used.
enum class DeviceUse {
    Automatic,  ///< unless another device is requested
    OnRequest,  ///< only if it is requested
    Never,
};

/// A device of this computer.
struct DeviceEntry {
    std::string name;
    std::string kind;  ///< "processor", "discrete", "integrated", "virtual", "software", "other"
    uint64_t memoryBytes = 0;
    std::string driver;  ///< name and version for people; for the processor its instruction set
    DeviceUse use = DeviceUse::Never;
    std::string refusal;  ///< why it is used only on request, or never: a sentence, or empty
    /// How fast its kernels were when models were loaded, a line for each block format; of graphics devices.
    std::vector<std::string> kernels;
};

struct DeviceList {
    std::vector<DeviceEntry> devices;  ///< the processor first
    std::string note;                  ///< why there are no graphics devices: a sentence, or empty
};

/// What happens to a conversation that outgrows the context.
enum class WhenFull {
    DropOldest,  ///< whole turns are dropped, the oldest first
    Refuse,      ///< the request fails with ErrorId::ConversationFull
};

/// Where predictions of an answer's next tokens come from (speculative decoding). Right ones make the answer
/// faster. None changes it: the processor computes the same logits with and without them. Other devices do
/// not predict.
enum class Guesses {
    Off,
    /// What followed the same tokens earlier in prompt and answer; and the head of the model that predicts
    /// further tokens, where it has one (multi-token prediction).
    LookUp,
    Draft,  ///< the draft model (LoadOptions::draft)
};

/// Whether a model thinks before it answers.
enum class Thinking {
    AsUsual,  ///< the default of its chat template
    On,
    Off,
};

/// How messages become a prompt.
struct PromptForm {
    std::string chatTemplate;  ///< a Jinja template in place of the model's own; empty: the model's own
    /// A template that has no such switch ignores it, and the plan's note says so.
    Thinking thinking = Thinking::AsUsual;
    /// The tools that the answer may call: a JSON list of {"type": "function", "function": {"name",
    /// "description", "parameters"}}, as in OpenAI's interface. If the template does not support tools, a
    /// system message describes them. Empty: none.
    std::string tools;
    /// Further variables of the chat template, by name: a JSON object. Empty: none.
    std::string templateArguments;

    bool operator==(const PromptForm&) const = default;
};

/// How many generations run side by side; further ones wait.
inline constexpr uint32_t kMostAtOnce = 8;

/// A request for one answer.
struct GenerateRequest {
    std::vector<ChatMessage> messages;  ///< the whole branch, oldest first; the last one is to be answered
    std::vector<uint32_t> pinned;       ///< indices of messages that must not be dropped
    SamplerParams sampler;
    /// The most tokens of the answer; one that is continued after this limit may grow by as much again. 0: as
    /// many as the context holds, but at most 4,096, or 16,384 for a model that thinks.
    uint32_t maxTokens = 0;
    std::vector<std::string> stops;  ///< stop strings beside those of the prompt format
    std::vector<TokenId>
        resumeIds;  ///< ids of this answer that exist already; generation continues after them
    /// A text that the answer begins with, before `resumeIds`. It is tokenized; `maxTokens` and `stops` do
    /// not apply to it.
    std::string resumeText;
    std::string rawPrompt;  ///< text to continue without a chat format, if `messages` is empty
    /// The name under which the state of the conversation is kept on disk (1 to 64 letters, digits, '-' or
    /// '_'). Empty: nothing is kept (a private chat).
    std::string conversation;
    std::vector<TokenId>
        rawTokens;  ///< ids to continue if both are empty: no BOS is added, and no end token ends the answer
    bool idsAreText = false;  ///< rawTokens are a text of the vocabulary: end tokens end the answer
    /// A GBNF grammar that the answer has to follow, or a JSON Schema for an answer in JSON, but not both
    /// (docs/structured-answers.md). Not with rawTokens.
    std::string grammar;
    std::string jsonSchema;
    WhenFull whenFull = WhenFull::DropOldest;
    uint32_t contextTokens = 0;  ///< how much of the model's context may be used; 0: all of it
    PromptForm promptForm;
    Guesses guesses = Guesses::LookUp;
    /// Returns for each token of the answer its probability and this number of the likeliest tokens (at most
    /// kMostTop), in TokenChunk::chances. 0: nothing is returned.
    uint32_t chances = 0;
};
inline constexpr uint32_t kMostTop = 20;

/// What the prompt of a request contains. Indices refer to GenerateRequest::messages.
struct PromptPlan {
    std::vector<uint32_t> kept;
    std::vector<uint32_t> dropped;  ///< oldest turns that did not fit
    uint32_t promptTokens = 0;
    uint32_t contextTokens = 0;  ///< 0: no limit
    uint64_t promptHash = 0;     ///< FNV-1a of the prompt's token ids, 64 bits
    std::string note;  ///< why its form is not the requested one or the template's: a sentence, or empty
};

/// The prompt of a request as people can look at it, before the model reads it.
struct PromptPreview {
    PromptPlan plan;
    uint32_t room = 0;  ///< tokens that a prompt may have, so that an answer also fits; 0: no limit
    /// [message][part] of GenerateRequest::messages: tokens of each part's text by itself. The markup of the
    /// chat format makes up the rest of plan.promptTokens.
    std::vector<std::vector<uint32_t>> partTokens;
    std::string text;  ///< exactly what is tokenized, with the texts of special tokens
};

enum class StopReason {
    EndOfText,    ///< the model emitted an end token or a stop string
    MaxTokens,    ///< maxTokens reached
    ContextFull,  ///< no room left in the context
    Cancelled,
};

struct GenerateStats {
    uint32_t promptTokens = 0;
    uint32_t cachedTokens = 0;  ///< tokens whose state was in memory or on disk
    uint32_t newTokens = 0;
    double prefillMs = 0;
    double decodeMs = 0;
    uint32_t guessedTokens = 0;  ///< predicted tokens that were fed
    uint32_t takenTokens = 0;    ///< predicted tokens that were right
};

/// A token that is possible at some position.
struct ScoredToken {
    TokenId id = 0;
    std::string text;   ///< its bytes, which may be half a character
    double p = 0;       ///< the model's probability, before the sampler's filters and temperature
    bool ends = false;  ///< an end token, which has no text: the answer would end here

    bool operator==(const ScoredToken&) const = default;
};

/// The tokens that were likeliest at the position of one token of an answer.
struct TokenChances {
    ScoredToken chosen;
    std::vector<ScoredToken> top;  ///< likeliest first, ties by the lowest id

    bool operator==(const TokenChances&) const = default;
};

/// Tokens of an answer: their ids, and the text that became complete with them. There may be no text while a
/// UTF-8 sequence is incomplete or a stop string possible.
struct TokenChunk {
    std::vector<TokenId> ids;
    std::vector<PartPiece> pieces;
    std::vector<TokenChances> chances = {};  ///< one for each of `ids` if the request asks for them
};

/// Adds the tokens of a later chunk to an earlier one.
inline void append(TokenChunk& chunk, const TokenChunk& later) {
    chunk.ids.insert(chunk.ids.end(), later.ids.begin(), later.ids.end());
    chunk.chances.insert(chunk.chances.end(), later.chances.begin(), later.chances.end());
    for (const PartPiece& piece : later.pieces) append(chunk.pieces, piece);
}

struct GenerateResult {
    StopReason reason = StopReason::EndOfText;
    GenerateStats stats;
    /// The rest of the text: it was held back because it could have become a stop string. It belongs to ids
    /// that were sent before.
    std::vector<PartPiece> tail;
    std::string withheld;  ///< bytes produced but not sent as text (start of a stop string, half a character)
    std::vector<PartPiece> unfinished;  ///< what they say where nothing is to follow them
    std::string violation;              ///< what a whole answer does not keep of its schema; empty: nothing
};

/// Receives the progress of a long operation: a fraction in [0, 1] and what is happening ("reading the
/// prompt").
using ProgressFn = std::function<void(double fraction, const char* phase)>;

}  // namespace ingle
