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

// Requests, client → host. Each says everything about itself: kName is its `op`, Reply the event that ends it
// unless Failed does, Update the events before that, kDoing what the host does meanwhile, for sentences.
struct Hello {
    static constexpr std::string_view kName = "hello";
    using Reply = HelloOk;
    uint32_t version = kVersion;
};
struct Inspect {
    static constexpr std::string_view kName = "inspect";
    static constexpr std::string_view kDoing = "looking at the file";
    static constexpr ModelUse kModelUse = ModelUse::None;
    using Reply = Inspected;
    using Update = NoUpdate;
    std::string path;
    LoadOptions options;  ///< how it would be loaded
};
/// What things are that somebody dropped or named together.
struct Recognise {
    static constexpr std::string_view kName = "recognise";
    static constexpr std::string_view kDoing = "looking at the file";
    static constexpr ModelUse kModelUse = ModelUse::None;
    using Reply = Recognised;
    using Update = NoUpdate;
    std::vector<std::string> paths;
    LoadOptions options;  ///< how they would be loaded
};
/// Writes a model as another file, which appears complete or not at all. A cancel ends it by Failed.
struct Import {
    static constexpr std::string_view kName = "import";
    static constexpr std::string_view kDoing = "making the model smaller";
    static constexpr ModelUse kModelUse = ModelUse::None;
    using Reply = Imported;
    using Update = std::variant<Progress>;
    std::string path;
    std::string folder;  ///< where the new file will be; made if it is not there
    std::string name;    ///< what the model is called: the new file is named after it
    std::string quant;   ///< as `ingle import --quant` knows it
};
struct Load {
    static constexpr std::string_view kName = "load";
    static constexpr std::string_view kDoing = "loading this model";
    static constexpr ModelUse kModelUse = ModelUse::Changes;
    using Reply = Loaded;
    using Update = std::variant<Progress>;
    std::string path;
    LoadOptions options;
};
struct Unload {
    static constexpr std::string_view kName = "unload";
    static constexpr std::string_view kDoing = "closing the model";
    static constexpr ModelUse kModelUse = ModelUse::Changes;
    using Reply = Unloaded;
    using Update = NoUpdate;
};
/// Tokens of a text (for the composer). Needs a loaded model.
struct Count {
    static constexpr std::string_view kName = "count";
    static constexpr std::string_view kDoing = "counting tokens";
    static constexpr ModelUse kModelUse = ModelUse::Uses;
    using Reply = Counted;
    using Update = NoUpdate;
    std::string text;  ///< as it is
    std::vector<ChatMessage>
        messages;             ///< in place of `text`: with all that the chat format puts around them
    bool withIds = false;     ///< of `text`
    bool addSpecial = false;  ///< to `text`: what the vocabulary begins and ends texts with
};
/// What the model would be given for a request. Needs a loaded model.
struct Preview {
    static constexpr std::string_view kName = "preview";
    static constexpr std::string_view kDoing = "making the prompt";
    static constexpr ModelUse kModelUse = ModelUse::Uses;
    using Reply = Previewed;
    using Update = NoUpdate;
    GenerateRequest request;
};
/// Needs a loaded model. Several may run at once, one per conversation.
struct Generate {
    static constexpr std::string_view kName = "generate";
    static constexpr std::string_view kDoing = "writing this answer";
    static constexpr ModelUse kModelUse = ModelUse::Uses;
    using Reply = Done;
    using Update = std::variant<Planned, Progress, Tokens>;
    GenerateRequest request;
};
/// What would be chosen now at the places of an answer that exists. Needs a loaded model; waits for answers.
struct Score {
    static constexpr std::string_view kName = "score";
    static constexpr std::string_view kDoing = "checking an answer";
    static constexpr ModelUse kModelUse = ModelUse::Uses;
    using Reply = Scored;
    using Update = std::variant<Progress>;
    ScoreRequest score;
};
/// Reads what stands before every question about a document, so that each of them finds it read. Needs a
/// loaded model; waits for answers. A cancel ends it by Failed; what was read stays, and the next one goes on
/// there.
struct Read {
    static constexpr std::string_view kName = "read";
    static constexpr std::string_view kDoing = "reading a document";
    static constexpr ModelUse kModelUse = ModelUse::Uses;
    using Reply = ReadDone;
    using Update = std::variant<ReadPlanned, Progress>;
    ReadRequest reading;
};
/// Rows of numbers that are alike where texts mean the like, by a model of its own: loaded for the first
/// request that names it, beside the one that writes, and kept until another one is named, or an unload. A
/// text that is too long for it counts with its beginning. Holds up answers meanwhile: a few texts at a time.
struct Embed {
    static constexpr std::string_view kName = "embed";
    static constexpr std::string_view kDoing = "comparing texts";
    static constexpr ModelUse kModelUse = ModelUse::None;
    using Reply = Embedded;
    using Update = NoUpdate;
    std::string model;  ///< path
    std::vector<std::string> texts;
    bool whenIdle = false;  ///< not before all answers and readings under way have ended
};
/// Ends a generation, a scoring or a reading; has no reply of its own.
struct Cancel {
    static constexpr std::string_view kName = "cancel";
    RequestId target = 0;
};
/// The conversations there are (see GenerateRequest::conversation) and the documents (ReadRequest::keeper):
/// what is kept on disk for others is deleted.
struct Retain {
    static constexpr std::string_view kName = "retain";
    static constexpr std::string_view kDoing = "tidying up";
    static constexpr ModelUse kModelUse = ModelUse::None;
    using Reply = Retained;
    using Update = NoUpdate;
    std::vector<std::string> conversations;
    std::vector<std::string> documents;
};
/// A private chat follows: what this process holds is kept out of dumps until it ends. Needs no loaded model.
struct Protect {
    static constexpr std::string_view kName = "protect";
    static constexpr std::string_view kDoing = "keeping its memory out of dumps";
    static constexpr ModelUse kModelUse = ModelUse::None;
    using Reply = Protected;
    using Update = NoUpdate;
};
/// What can compute on this computer. Needs no loaded model.
struct Devices {
    static constexpr std::string_view kName = "devices";
    static constexpr std::string_view kDoing = "looking for devices";
    static constexpr ModelUse kModelUse = ModelUse::None;
    using Reply = DevicesListed;
    using Update = NoUpdate;
};
/// Memory and processor. Needs no loaded model.
struct Computer {
    static constexpr std::string_view kName = "computer";
    static constexpr std::string_view kDoing = "looking at the computer";
    static constexpr ModelUse kModelUse = ModelUse::None;
    using Reply = ComputerDescribed;
    using Update = NoUpdate;
};
using RequestBody = std::variant<Hello, Inspect, Recognise, Import, Load, Unload, Count, Preview, Generate,
                                 Score, Read, Embed, Cancel, Retain, Protect, Devices, Computer>;
struct Request {
    RequestId id = 0;
    RequestBody body;
};

/// Invalid UTF-8 in text becomes U+FFFD on encoding; ids are exact. No newline is appended.
std::string encode(const Request& request);
std::string encode(const Event& event);
/// Never throws. Errors: Corrupt, saying what is wrong (not JSON, unknown op, missing or mistyped field, out
/// of range); Unsupported for a request that uses what is reserved for a coming version.
Result<Request> decodeRequest(std::string_view line);
Result<Event> decodeEvent(std::string_view line);
/// The id of a message that decodeRequest refuses, so that whoever sent it hears of it; 0 where it has none.
RequestId idOfRefused(std::string_view line);

}  // namespace ingle::protocol
