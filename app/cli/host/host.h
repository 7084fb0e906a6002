/// `ingle host`: the engine as a process of its own, serving the protocol of docs/protocol.md.
#pragma once

#include <chrono>

#include "app/cli/host/engine_worker.h"
#include "ingle/result.h"

namespace ingle::cli {

struct HostOptions {
    std::chrono::milliseconds pace{0};  ///< slept after every step (for tests that need slow answers)
};

/// Where the protocol is spoken.
struct HostEnds {
    int input = -1;
    int output = -1;
};

/// Takes standard input and output (two pipes, or one socket) for the protocol. What anything else prints
/// goes to standard error. Errors: Io.
Result<HostEnds> takeStandardEnds();

/// Serves on given ends, without changing the process. Ends it when `input` ends or `output` breaks.
[[noreturn]] void serveHost(int input, int output, const HostOptions& options, EngineSource source);

}  // namespace ingle::cli
