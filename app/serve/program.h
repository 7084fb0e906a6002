/// `ingle-serve` as a program: its options, and its life from the first socket to the last answer.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/bench/load.h"
#include "app/serve/engine/engine_room.h"
#include "app/serve/http/server.h"
#include "ingle/result.h"

namespace ingle::serve {

struct Options {
    bench::LoadOptions bench;         ///< with a url: asks a server in place of being one
    std::vector<std::string> models;  ///< names or paths; none: the library
    std::string socket;               ///< empty: local::defaultSocketPath()
    std::string listen;               ///< an address, beside the socket; empty: none
    std::string keyFile;
    std::vector<std::string> hosts;
    std::vector<std::string> origins;
    http::Limits limits;
    RoomOptions room;
    std::chrono::seconds grace{30};  ///< for answers under way when the server is to end
    std::vector<std::string> host;   ///< program and arguments of the engine; empty: `ingle host` beside this
};

/// Serves until SIGINT or SIGTERM, then finishes what is under way; a second signal ends at once. To be
/// called before there is another thread. Errors: what kept it from serving.
Status serve(const Options& options);

/// Loads the server of options.bench and prints how it held. Errors: as bench::runLoad().
Status runBench(const Options& options);

}  // namespace ingle::serve
