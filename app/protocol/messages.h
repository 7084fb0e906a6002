/// The host protocol: what a client says to `ingle host` and what it answers. Transport: one JSON object per
/// line, at most kMaxLineBytes; a longer message travels in pieces (framing.h). docs/protocol.md shows every
/// message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ingle/reading.h"
#include "ingle/receipt.h"
#include "ingle/recognition.h"
#include "ingle/result.h"
#include "ingle/score.h"
#include "ingle/types.h"

namespace ingle::protocol {

inline constexpr uint32_t kVersion = 3;

/// Chosen by the client, never 0, echoed in every event that answers the request.
using RequestId = uint64_t;

// Events, host → client.
struct HelloOk {
    static constexpr std::string_view kName = "hello";
    uint32_t version = kVersion;
    std::string program;
};
struct Inspected {
    static constexpr std::string_view kName = "inspected";
    ModelInfo info;
};
/// In the order of the paths, models first; parts of one model are one thing.
struct Recognised {
    static constexpr std::string_view kName = "recognised";
    std::vector<Recognition> things;
};
struct Imported {
    static constexpr std::string_view kName = "imported";
    std::string path;  ///< of the new file
    uint64_t bytes = 0;
};
struct Loaded {
    static constexpr std::string_view kName = "loaded";
    ModelInfo info;
    /// Path of the model that was in use before and stays in memory: its Load is answered at once. Empty:
    /// none.
    std::string alsoLoaded;
};
/// What was in memory beside the model in use is there no longer. Answers nothing.
struct Released {
    static constexpr std::string_view kName = "released";
};
struct Unloaded {
    static constexpr std::string_view kName = "unloaded";
};
struct Counted {
    static constexpr std::string_view kName = "counted";
    uint32_t tokens = 0;
    uint32_t room = 0;         ///< of messages: for all that is asked, beside an answer; 0: no limit
    std::vector<TokenId> ids;  ///< of a text, where they were asked for
};
struct Previewed {
    static constexpr std::string_view kName = "previewed";
    PromptPreview preview;
};
struct Retained {
    static constexpr std::string_view kName = "retained";
};
struct Protected {
    static constexpr std::string_view kName = "protected";
};
struct DevicesListed {
    static constexpr std::string_view kName = "devices";
    DeviceList list;
};
struct ComputerDescribed {
    static constexpr std::string_view kName = "computer";
    ComputerInfo info;
};
struct Progress {
    static constexpr std::string_view kName = "progress";
    double fraction = 0;
    std::string phase;
    /// The device this answer has moved to; in all of its progress from then on, so that none can be missed.
    /// Empty: it has not moved.
    DeviceStatus moved;
};
struct Planned {
    static constexpr std::string_view kName = "plan";
    PromptPlan plan;
};
/// Consecutive token events that wait in the queue are merged into one.
struct Tokens {
    static constexpr std::string_view kName = "tokens";
    TokenChunk chunk;
};
struct Done {
    static constexpr std::string_view kName = "done";
    GenerateResult result;
    Receipt receipt;  ///< what computed at the end
};
struct Scored {
    static constexpr std::string_view kName = "scored";
    Scores scores;
    Receipt receipt;  ///< what computed
};
/// What reading a document comes to; before its first page is read.
struct ReadPlanned {
    static constexpr std::string_view kName = "cost";
    ReadCost cost;
};
struct ReadDone {
    static constexpr std::string_view kName = "read";
    ReadCost cost;
};
/// Of each text one row of numbers, of length 1.
struct Embedded {
    static constexpr std::string_view kName = "embedded";
    uint32_t dim = 0;
    uint32_t tokens = 0;  ///< that were read of all texts
    std::string rows;     ///< back to back, each `dim` floats of 32 bits, little-endian
};
struct Failed {
    static constexpr std::string_view kName = "failed";
    Error error;
    /// Of a load that was refused because it does not fit: the numbers, and what would help.
    MemoryEstimate memory;
};
using EventBody = std::variant<HelloOk, Inspected, Recognised, Imported, Loaded, Released, Unloaded, Counted,
                               Previewed, Retained, Protected, DevicesListed, ComputerDescribed, Progress,
                               Planned, Tokens, Done, Scored, ReadPlanned, ReadDone, Embedded, Failed>;
struct Event {
    RequestId id = 0;
    EventBody body;
};

/// What a request without events before its reply has in their place.
using NoUpdate = std::variant<std::monostate>;

/// What a request has to do with the loaded model: what changes it waits for all that came before it, and
/// what uses it for that.
enum class ModelUse { None, Uses, Changes };

/// What becomes of a request that somebody takes back while the host has it.
enum class WhenCancelled {
    GoesOn,       ///< it is answered as any other
    EndsAtOnce,   ///< for whoever asked; the host drops it if it has not begun
    EndsInOrder,  ///< the host ends it, and says what became of it
};

/// Which thread of the host answers a request.
enum class HostThread {
    Reader,  ///< the one that reads requests: before any that follows
    Engine,  ///< the one that computes: in the order of the requests
    Files,   ///< one of several, since a disk may not answer
    Import,  ///< one that writes models, one at a time
};

/// What the program has to know of a request beside its fields. The client and the host ask nothing else.
struct RequestFacts {
    std::string_view doing;  ///< what the host does meanwhile, for sentences
    ModelUse modelUse = ModelUse::None;
    WhenCancelled whenCancelled = WhenCancelled::GoesOn;
    HostThread thread = HostThread::Engine;
    bool hasOwnModel = false;  ///< for which another model is loaded beside the one that writes

    constexpr bool usesMemory() const { return modelUse != ModelUse::None || hasOwnModel; }
};

// Requests, client → host. Each says everything about itself: kName is its `op`, kFacts what else there is to
// know, Reply the event that ends it unless Failed does, Update the events before that. Where a request says
// more, by functions:
//   file()          the file that it waits for; empty: none
//   inTurnWith()    those with the same text are answered one after another; empty: it waits for no other
//   mayLoadModel()  false: it is refused rather than that a model that rests is loaded for it
//   cancelled()     what it ends with when it was cancelled before the host had it; else Failed
struct Hello {
    static constexpr std::string_view kName = "hello";
    static constexpr RequestFacts kFacts{.doing = "greeting", .thread = HostThread::Reader};
    using Reply = HelloOk;
    uint32_t version = kVersion;
};
struct Inspect {
    static constexpr std::string_view kName = "inspect";
    static constexpr RequestFacts kFacts{.doing = "looking at the file",
                                         .whenCancelled = WhenCancelled::EndsAtOnce,
                                         .thread = HostThread::Files};
    using Reply = Inspected;
    using Update = NoUpdate;
    std::string path;
    LoadOptions options;  ///< how it would be loaded

    std::string file() const { return path; }
};
/// What things are that somebody dropped or named together.
struct Recognise {
    static constexpr std::string_view kName = "recognise";
    static constexpr RequestFacts kFacts{.doing = "looking at the file",
                                         .whenCancelled = WhenCancelled::EndsAtOnce,
                                         .thread = HostThread::Files};
    using Reply = Recognised;
    using Update = NoUpdate;
    std::vector<std::string> paths;
    LoadOptions options;  ///< how they would be loaded

    std::string file() const { return paths.empty() ? std::string() : paths.front(); }
};
/// Writes a model as another file, which appears complete or not at all. A cancel ends it by Failed.
struct Import {
    static constexpr std::string_view kName = "import";
    static constexpr RequestFacts kFacts{.doing = "making the model smaller",
                                         .whenCancelled = WhenCancelled::EndsInOrder,
                                         .thread = HostThread::Import};
    using Reply = Imported;
    using Update = std::variant<Progress>;
    std::string path;
    std::string folder;  ///< where the new file will be; made if it is not there
    std::string name;    ///< what the model is called: the new file is named after it
    std::string quant;   ///< as `ingle import --quant` knows it
};
struct Load {
    static constexpr std::string_view kName = "load";
    static constexpr RequestFacts kFacts{.doing = "loading this model", .modelUse = ModelUse::Changes};
    using Reply = Loaded;
    using Update = std::variant<Progress>;
    std::string path;
    LoadOptions options;
};
struct Unload {
    static constexpr std::string_view kName = "unload";
    static constexpr RequestFacts kFacts{.doing = "closing the model", .modelUse = ModelUse::Changes};
    using Reply = Unloaded;
    using Update = NoUpdate;
};
/// Tokens of a text (for the composer). Needs a loaded model.
struct Count {
    static constexpr std::string_view kName = "count";
    static constexpr RequestFacts kFacts{
        .doing = "counting tokens", .modelUse = ModelUse::Uses, .whenCancelled = WhenCancelled::EndsAtOnce};
    using Reply = Counted;
    using Update = NoUpdate;
    std::string text;  ///< as it is
    std::vector<ChatMessage>
        messages;             ///< in place of `text`: with all that the chat format puts around them
    bool withIds = false;     ///< of `text`
    bool addSpecial = false;  ///< to `text`: what the vocabulary begins and ends texts with

    /// The composer asks often, and when nobody may want the model.
    bool mayLoadModel() const { return withIds; }
};
/// What the model would be given for a request. Needs a loaded model.
struct Preview {
    static constexpr std::string_view kName = "preview";
    static constexpr RequestFacts kFacts{
        .doing = "making the prompt", .modelUse = ModelUse::Uses, .whenCancelled = WhenCancelled::EndsAtOnce};
    using Reply = Previewed;
    using Update = NoUpdate;
    GenerateRequest request;
};
/// Needs a loaded model. Several may run at once, one per conversation.
struct Generate {
    static constexpr std::string_view kName = "generate";
    static constexpr RequestFacts kFacts{.doing = "writing this answer",
                                         .modelUse = ModelUse::Uses,
                                         .whenCancelled = WhenCancelled::EndsInOrder};
    using Reply = Done;
    using Update = std::variant<Planned, Progress, Tokens>;
    GenerateRequest request;

    const std::string& inTurnWith() const { return request.conversation; }
    /// An answer without a word.
    static Done cancelled() { return {{.reason = StopReason::Cancelled}, {}}; }
};
/// What would be chosen now at the places of an answer that exists. Needs a loaded model; waits for answers.
struct Score {
    static constexpr std::string_view kName = "score";
    static constexpr RequestFacts kFacts{.doing = "checking an answer",
                                         .modelUse = ModelUse::Uses,
                                         .whenCancelled = WhenCancelled::EndsInOrder};
    using Reply = Scored;
    using Update = std::variant<Progress>;
    ScoreRequest score;
};
/// Reads what stands before every question about a document, so that each of them finds it read. Needs a
/// loaded model; waits for answers. A cancel ends it by Failed; what was read stays, and the next one goes on
/// there.
struct Read {
    static constexpr std::string_view kName = "read";
    static constexpr RequestFacts kFacts{.doing = "reading a document",
                                         .modelUse = ModelUse::Uses,
                                         .whenCancelled = WhenCancelled::EndsInOrder};
    using Reply = ReadDone;
    using Update = std::variant<ReadPlanned, Progress>;
    ReadRequest reading;
};
/// Rows of numbers that are alike where texts mean the like, by a model of its own: loaded for the first
/// request that names it, beside the one that writes, and kept until another one is named, or an unload. A
/// text that is too long for it counts with its beginning. Holds up answers meanwhile: a few texts at a time.
struct Embed {
    static constexpr std::string_view kName = "embed";
    static constexpr RequestFacts kFacts{
        .doing = "comparing texts", .whenCancelled = WhenCancelled::EndsAtOnce, .hasOwnModel = true};
    using Reply = Embedded;
    using Update = NoUpdate;
    std::string model;  ///< path
    std::vector<std::string> texts;
    bool whenIdle = false;  ///< not before all answers and readings under way have ended
};
/// Ends a generation, a scoring or a reading; has no reply of its own.
struct Cancel {
    static constexpr std::string_view kName = "cancel";
    static constexpr RequestFacts kFacts{.doing = "cancelling", .thread = HostThread::Reader};
    RequestId target = 0;
};
/// The conversations there are (see GenerateRequest::conversation) and the documents (ReadRequest::keeper):
/// what is kept on disk for others is deleted.
struct Retain {
    static constexpr std::string_view kName = "retain";
    static constexpr RequestFacts kFacts{.doing = "tidying up"};
    using Reply = Retained;
    using Update = NoUpdate;
    std::vector<std::string> conversations;
    std::vector<std::string> documents;
};
/// A private chat follows: what this process holds is kept out of dumps until it ends. Needs no loaded model.
struct Protect {
    static constexpr std::string_view kName = "protect";
    static constexpr RequestFacts kFacts{.doing = "keeping its memory out of dumps",
                                         .thread = HostThread::Reader};
    using Reply = Protected;
    using Update = NoUpdate;
};
/// What can compute on this computer. Needs no loaded model.
struct Devices {
    static constexpr std::string_view kName = "devices";
    static constexpr RequestFacts kFacts{.doing = "looking for devices"};
    using Reply = DevicesListed;
    using Update = NoUpdate;
};
/// Memory and processor. Needs no loaded model.
struct Computer {
    static constexpr std::string_view kName = "computer";
    static constexpr RequestFacts kFacts{.doing = "looking at the computer"};
    using Reply = ComputerDescribed;
    using Update = NoUpdate;
};
using RequestBody = std::variant<Hello, Inspect, Recognise, Import, Load, Unload, Count, Preview, Generate,
                                 Score, Read, Embed, Cancel, Retain, Protect, Devices, Computer>;
struct Request {
    RequestId id = 0;
    RequestBody body;
};

inline const RequestFacts& factsOf(const RequestBody& body) {
    return std::visit([](const auto& request) -> const RequestFacts& { return request.kFacts; }, body);
}

/// Invalid UTF-8 in text becomes U+FFFD on encoding; ids are exact. No newline is appended.
std::string encode(const Request& request);
std::string encode(const Event& event);
/// Never throws. Errors: Corrupt, saying what is wrong (not JSON, unknown op, missing or mistyped field, out
/// of range).
Result<Request> decodeRequest(std::string_view line);
Result<Event> decodeEvent(std::string_view line);
/// The id of a message that decodeRequest refuses, so that whoever sent it hears of it; 0 where it has none.
RequestId idOfRefused(std::string_view line);

}  // namespace ingle::protocol
