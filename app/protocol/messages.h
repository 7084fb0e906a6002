/// The host protocol: the requests of a client and the events with which `ingle host` answers. Each message
/// is a JSON object on a line of at most kMaxLineBytes; a longer one travels in pieces (framing.h).
/// docs/protocol.md shows every message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ingle/pictures.h"
#include "ingle/reading.h"
#include "ingle/receipt.h"
#include "ingle/recognition.h"
#include "ingle/result.h"
#include "ingle/score.h"
#include "ingle/text_use.h"
#include "ingle/types.h"

namespace ingle::protocol {

inline constexpr uint32_t kVersion = 3;

/// The id of a request. The client chooses it; it is never 0. Every event that answers the request has it.
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
/// The result of Recognise: as ingle::recognise() returns it.
struct Recognised {
    static constexpr std::string_view kName = "recognised";
    std::vector<Recognition> things;
};
struct Imported {
    static constexpr std::string_view kName = "imported";
    std::string path;    ///< path of the new file
    uint64_t bytes = 0;  ///< its size
};
struct Loaded {
    static constexpr std::string_view kName = "loaded";
    ModelInfo info;
    /// Path of the model that was in use before and stays in memory, so that a Load of it is answered at
    /// once. Empty: there is none.
    std::string alsoLoaded;
};
/// The second model (Loaded::alsoLoaded) was removed from memory. This event answers no request.
struct Released {
    static constexpr std::string_view kName = "released";
};
struct Unloaded {
    static constexpr std::string_view kName = "unloaded";
};
struct Counted {
    static constexpr std::string_view kName = "counted";
    uint32_t tokens = 0;
    uint32_t room = 0;         ///< for messages: as PromptSize::room
    std::vector<TokenId> ids;  ///< for a text: its tokens if Count::withIds asked for them
    std::string text;          ///< for tokens: the text that they stand for
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
    /// The device that this answer has moved to. Every later progress of the answer repeats it, so that a
    /// client cannot miss it. Empty: it has not moved.
    DeviceStatus moved;
};
struct Planned {
    static constexpr std::string_view kName = "plan";
    PromptPlan plan;
};
/// Tokens of an answer. The host merges consecutive events of one answer that wait to be sent.
struct Tokens {
    static constexpr std::string_view kName = "tokens";
    TokenChunk chunk;
};
struct Done {
    static constexpr std::string_view kName = "done";
    GenerateResult result;
    Receipt receipt;  ///< what computed the end of the answer
};
struct Scored {
    static constexpr std::string_view kName = "scored";
    Scores scores;
    Receipt receipt;  ///< what computed the scores
};
/// How the model sees a picture.
struct PictureTaken {
    static constexpr std::string_view kName = "picture";
    PictureFacts facts;
};
/// The size of a document and of its state. It is sent before the document is read.
struct ReadPlanned {
    static constexpr std::string_view kName = "cost";
    ReadCost cost;
};
struct ReadDone {
    static constexpr std::string_view kName = "read";
    ReadCost cost;
};
/// The embeddings of texts: one row of numbers for each, scaled to length 1.
struct Embedded {
    static constexpr std::string_view kName = "embedded";
    uint32_t dim = 0;     ///< numbers in a row
    uint32_t tokens = 0;  ///< tokens of all texts that the model read
    std::string rows;     ///< [texts][dim] floats of 32 bits, little-endian
};
struct Failed {
    static constexpr std::string_view kName = "failed";
    Error error;
    /// For a load that was refused because the model does not fit into memory: how much it needs, and the
    /// remedies.
    MemoryEstimate memory;
};
using EventBody =
    std::variant<HelloOk, Inspected, Recognised, Imported, Loaded, Released, Unloaded, Counted, Previewed,
                 Retained, Protected, DevicesListed, ComputerDescribed, Progress, Planned, Tokens, Done,
                 Scored, PictureTaken, ReadPlanned, ReadDone, Embedded, Failed>;
struct Event {
    RequestId id = 0;
    EventBody body;
};

/// The type Update of a request that has no events before its reply.
using NoUpdate = std::variant<std::monostate>;

/// What a request does with the loaded model. One that changes it waits for all earlier requests that use or
/// change it, and one that uses it waits for all earlier requests that change it.
enum class ModelUse { None, Uses, Changes };

/// What happens to a request that is cancelled while the host has it.
enum class WhenCancelled {
    GoesOn,       ///< the host answers it as any other
    EndsAtOnce,   ///< the client ends it at once; the host drops it if it has not begun
    EndsInOrder,  ///< the host ends it with its reply or with Failed
};

/// Which thread of the host answers a request.
enum class HostThread {
    Reader,  ///< the one that reads requests: it answers before it reads the next one
    Engine,  ///< the one that computes: it takes requests in their order
    Files,   ///< one of several that read files, since a disk may not respond
    Import,  ///< the one that writes models, one at a time
};

/// The facts about a kind of request. Client and host treat all requests by these facts alone.
struct RequestFacts {
    std::string_view doing;  ///< what the host does meanwhile, as a part of sentences
    ModelUse modelUse = ModelUse::None;
    WhenCancelled whenCancelled = WhenCancelled::GoesOn;
    HostThread thread = HostThread::Engine;
    bool hasOwnModel = false;  ///< whether it loads another model beside the one that writes

    constexpr bool usesMemory() const { return modelUse != ModelUse::None || hasOwnModel; }
};

// Requests, client → host. kName is the `op` of a request and kFacts its facts. Reply is the event that ends
// it unless Failed does; Update holds the events before that. Some requests also have these functions:
//   file()          the file that the request reads; empty: none
//   inTurnWith()    requests with the same text are answered one after another; empty: in any order
//   mayLoadModel()  false: it fails if the model was unloaded because it was idle, and does not load it
//   cancelled()     the reply if it was cancelled before the host had it; Failed without this function
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
/// Recognises files and folders that somebody dropped or named together.
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
/// Writes a model as another file, which appears complete or not at all. Cancel ends it with Failed.
struct Import {
    static constexpr std::string_view kName = "import";
    static constexpr RequestFacts kFacts{.doing = "making the model smaller",
                                         .whenCancelled = WhenCancelled::EndsInOrder,
                                         .thread = HostThread::Import};
    using Reply = Imported;
    using Update = std::variant<Progress>;
    std::string path;
    std::string folder;  ///< folder of the new file; created if missing
    std::string name;    ///< name of the model, which the new file is named after
    std::string quant;   ///< name of a quant mix, as for `ingle import --quant`
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
/// Counts the tokens of a text or of messages, or tells what text tokens stand for. Needs a loaded model.
struct Count {
    static constexpr std::string_view kName = "count";
    static constexpr RequestFacts kFacts{
        .doing = "counting tokens", .modelUse = ModelUse::Uses, .whenCancelled = WhenCancelled::EndsAtOnce};
    using Reply = Counted;
    using Update = NoUpdate;
    std::string text;  ///< is counted without a chat format
    std::vector<ChatMessage>
        messages;              ///< are counted in place of `text`, with the markup of the chat format
    bool withIds = false;      ///< returns the token ids of `text`
    bool addSpecial = false;   ///< adds BOS and EOS to `text` if the vocabulary asks for them
    std::vector<TokenId> ids;  ///< are turned into text in place of that

    /// The composer only asks for counts. It asks often, and an idle model need not be loaded for that.
    bool mayLoadModel() const { return withIds || !ids.empty(); }
};
/// Makes the prompt of a request without generating. Needs a loaded model.
struct Preview {
    static constexpr std::string_view kName = "preview";
    static constexpr RequestFacts kFacts{
        .doing = "making the prompt", .modelUse = ModelUse::Uses, .whenCancelled = WhenCancelled::EndsAtOnce};
    using Reply = Previewed;
    using Update = NoUpdate;
    GenerateRequest request;
};
/// Writes an answer. Needs a loaded model. Several may run at once, one per conversation.
struct Generate {
    static constexpr std::string_view kName = "generate";
    static constexpr RequestFacts kFacts{.doing = "writing this answer",
                                         .modelUse = ModelUse::Uses,
                                         .whenCancelled = WhenCancelled::EndsInOrder};
    using Reply = Done;
    using Update = std::variant<Planned, Progress, Tokens>;
    GenerateRequest request;

    const std::string& inTurnWith() const { return request.conversation; }
    /// An answer without text.
    static Done cancelled() { return {{.reason = StopReason::Cancelled}, {}}; }
};
/// Scores an existing answer (ingle/score.h). Needs a loaded model, and waits for answers.
struct Score {
    static constexpr std::string_view kName = "score";
    static constexpr RequestFacts kFacts{.doing = "checking an answer",
                                         .modelUse = ModelUse::Uses,
                                         .whenCancelled = WhenCancelled::EndsInOrder};
    using Reply = Scored;
    using Update = std::variant<Progress>;
    ScoreRequest score;
};
/// Reads a document ahead of the questions about it (ingle/reading.h). Needs a loaded model, and waits for
/// answers. Cancel ends it with Failed; what was read is kept, and the next Read of the text continues there.
struct Read {
    static constexpr std::string_view kName = "read";
    static constexpr RequestFacts kFacts{.doing = "reading a document",
                                         .modelUse = ModelUse::Uses,
                                         .whenCancelled = WhenCancelled::EndsInOrder};
    using Reply = ReadDone;
    using Update = std::variant<ReadPlanned, Progress>;
    ReadRequest reading;
};
/// Gives the model a picture that messages will name (PartKind::Image), or asks whether it has it. Its file
/// is decoded in a process of its own, and the picture is read by the first answer that needs it. Needs a
/// loaded model. Errors: PictureNeeded, where `bytes` are needed; CannotSee; those of the file.
struct Picture {
    static constexpr std::string_view kName = "picture";
    static constexpr RequestFacts kFacts{.doing = "looking at a picture",
                                         .modelUse = ModelUse::Uses,
                                         .whenCancelled = WhenCancelled::EndsAtOnce};
    using Reply = PictureTaken;
    using Update = NoUpdate;
    std::string hash;   ///< SHA-256 of the file, in 64 small hexadecimal digits
    std::string bytes;  ///< of the file: PNG, JPEG or WebP; empty: only asks
};
/// Computes embeddings of texts with a model of its own. That model is loaded beside the one that writes by
/// the first request that names it, and stays until a request names another one or until Unload. Of a text
/// that is too long for the model only the beginning counts. Answers wait meanwhile, so send a few texts at a
/// time.
struct Embed {
    static constexpr std::string_view kName = "embed";
    static constexpr RequestFacts kFacts{
        .doing = "comparing texts", .whenCancelled = WhenCancelled::EndsAtOnce, .hasOwnModel = true};
    using Reply = Embedded;
    using Update = NoUpdate;
    std::string model;  ///< path of the embedding model
    std::vector<std::string> texts;
    bool whenIdle = false;  ///< waits until all running answers, scorings and readings have ended
    TextUse use = TextUse::Alone;
    uint32_t dimensions = 0;  ///< the first numbers of each row only; 0: all
    /// Of a reranker: what the texts are to answer. The rows are one number each then, how well they do, from
    /// 0 to 1.
    std::string query = {};
    bool refusesLong = false;                    ///< fails where a text is too long (MessageTooLong)
    std::vector<std::vector<TokenId>> ids = {};  ///< in place of texts: what the model reads, as it is
};
/// Cancels another request, as its WhenCancelled says. It has no reply of its own.
struct Cancel {
    static constexpr std::string_view kName = "cancel";
    static constexpr RequestFacts kFacts{.doing = "cancelling", .thread = HostThread::Reader};
    RequestId target = 0;
};
/// Lists all existing conversations (GenerateRequest::conversation) and documents (ReadRequest::keeper). The
/// states of all others are deleted from the disk.
struct Retain {
    static constexpr std::string_view kName = "retain";
    static constexpr RequestFacts kFacts{.doing = "tidying up"};
    using Reply = Retained;
    using Update = NoUpdate;
    std::vector<std::string> conversations;
    std::vector<std::string> documents;
};
/// Keeps the memory of the host out of core dumps until it ends, since a private chat follows. Needs no
/// loaded model.
struct Protect {
    static constexpr std::string_view kName = "protect";
    static constexpr RequestFacts kFacts{.doing = "keeping its memory out of dumps",
                                         .thread = HostThread::Reader};
    using Reply = Protected;
    using Update = NoUpdate;
};
/// Lists the devices of this computer. Needs no loaded model.
struct Devices {
    static constexpr std::string_view kName = "devices";
    static constexpr RequestFacts kFacts{.doing = "looking for devices"};
    using Reply = DevicesListed;
    using Update = NoUpdate;
};
/// Describes memory and processor of this computer. Needs no loaded model.
struct Computer {
    static constexpr std::string_view kName = "computer";
    static constexpr RequestFacts kFacts{.doing = "looking at the computer"};
    using Reply = ComputerDescribed;
    using Update = NoUpdate;
};
using RequestBody = std::variant<Hello, Inspect, Recognise, Import, Load, Unload, Count, Preview, Generate,
                                 Score, Read, Picture, Embed, Cancel, Retain, Protect, Devices, Computer>;
struct Request {
    RequestId id = 0;
    RequestBody body;
};

inline const RequestFacts& factsOf(const RequestBody& body) {
    return std::visit([](const auto& request) -> const RequestFacts& { return request.kFacts; }, body);
}

/// Encodes a message as JSON without a newline. Invalid UTF-8 in text becomes U+FFFD; ids are exact.
std::string encode(const Request& request);
std::string encode(const Event& event);
/// Decodes a message. Never throws. Errors: Corrupt (not JSON, an unknown op or event, a field that is
/// missing, has the wrong type or is out of range).
Result<Request> decodeRequest(std::string_view line);
Result<Event> decodeEvent(std::string_view line);
/// Returns the id of a message that decodeRequest() refuses, so that its sender can be answered; 0 if it has
/// none.
RequestId idOfRefused(std::string_view line);

}  // namespace ingle::protocol
