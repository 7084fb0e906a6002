/// The host protocol: what the window says to `ingle host` and what it answers. Transport: one JSON object
/// per line on pipes, at most kMaxLineBytes; a request that would be longer is written to a file and sent as
/// {"file": path}. docs/protocol.md shows every message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::protocol {

inline constexpr uint32_t kVersion = 2;
inline constexpr size_t kMaxLineBytes = 1u << 20;

/// Chosen by the window, echoed in every event that answers the request.
using RequestId = uint64_t;

// Requests, window → host.
struct Hello {
    uint32_t version = kVersion;
};
struct Inspect {
    std::string path;
    LoadOptions options;  ///< how it would be loaded
};
struct Load {
    std::string path;
    LoadOptions options;
};
struct Unload {};
/// Tokens of a text (for the composer). Needs a loaded model.
struct Count {
    std::string text;
};
struct Generate {
    GenerateRequest request;
};
struct Cancel {
    RequestId target = 0;
};
/// The conversations there are (see GenerateRequest::conversation): what is kept on disk for others is
/// deleted.
struct Retain {
    std::vector<std::string> conversations;
};
/// What can compute on this computer. Needs no loaded model.
struct Devices {};
/// Memory and processor. Needs no loaded model.
struct Computer {};
using RequestBody =
    std::variant<Hello, Inspect, Load, Unload, Count, Generate, Cancel, Retain, Devices, Computer>;
struct Request {
    RequestId id = 0;
    RequestBody body;
};

// Events, host → window.
struct HelloOk {
    uint32_t version = kVersion;
    std::string program;
};
struct Inspected {
    ModelInfo info;
};
struct Loaded {
    ModelInfo info;
};
struct Unloaded {};
struct Counted {
    uint32_t tokens = 0;
};
struct Retained {};
struct DevicesListed {
    DeviceList list;
};
struct ComputerDescribed {
    ComputerInfo info;
};
struct Progress {
    double fraction = 0;
    std::string phase;
    /// The device this answer has moved to; in all of its progress from then on, so that none can be missed.
    /// Empty: it has not moved.
    DeviceStatus moved;
};
struct Planned {
    PromptPlan plan;
};
/// Consecutive token events that wait in the queue are merged into one.
struct Tokens {
    TokenChunk chunk;
};
struct Done {
    GenerateResult result;
};
struct Failed {
    Error error;
    /// Of a load that was refused because it does not fit: the numbers, and what would help.
    MemoryEstimate memory;
};
using EventBody = std::variant<HelloOk, Inspected, Loaded, Unloaded, Counted, Retained, DevicesListed,
                               ComputerDescribed, Progress, Planned, Tokens, Done, Failed>;
struct Event {
    RequestId id = 0;
    EventBody body;
};

/// Invalid UTF-8 in text becomes U+FFFD on encoding; ids are exact. No newline is appended.
std::string encode(const Request& request);
std::string encode(const Event& event);
/// Never throws. Errors: Corrupt, saying what is wrong (not JSON, unknown op, missing or mistyped field, out
/// of range).
Result<Request> decodeRequest(std::string_view line);
Result<Event> decodeEvent(std::string_view line);

}  // namespace ingle::protocol
