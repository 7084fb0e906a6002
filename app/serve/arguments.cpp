#include "app/serve/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "app/library/library.h"
#include "ingle/version.h"

namespace ingle::serve {

void declareArguments(CLI::App& app, Options& options) {
    app.description("serve models to the programs on this computer, by OpenAI's HTTP interface");
    app.set_version_flag("--version", fmt::format("ingle-serve {}", version()));
    app.add_option("MODEL", options.models, "names in the library, or model files (default: the library)");
    app.add_option("--socket", options.socket,
                   "path of the socket (default: $XDG_RUNTIME_DIR/inglenook/serve.sock)");
    app.add_option("--listen", options.listen, "an address beside it: PORT on 127.0.0.1, or ADDRESS:PORT");
    app.add_option("--key-file", options.keyFile,
                   "file with the key that requests must bring (required for addresses that others reach)");
    app.add_option("--allow-host", options.hosts, "a further host name under which requests may come");
    app.add_option("--allow-origin", options.origins, "a site whose pages may ask, as https://example.org");
    app.add_option("--context", options.room.load.contextTokens, "tokens of context (default: what fits)");
    app.add_option("--threads", options.room.load.threads, "threads (default: one per core)");
    app.add_option("--backend", options.room.load.backend, "auto, cpu or vulkan")
        ->transform(CLI::CheckedTransformer(std::map<std::string, BackendChoice>{
            {"auto", BackendChoice::Auto}, {"cpu", BackendChoice::Cpu}, {"vulkan", BackendChoice::Vulkan}}));
    app.add_option("--device", options.room.load.device, "part of a graphics device's name");
    app.add_option("--max-answers", options.room.mostAnswers,
                   "answers under way; eight are written at once, the others wait (default: 72)")
        ->check(CLI::Range(1, 240));
    app.add_option_function<unsigned>(
        "--timeout",
        [&options](unsigned seconds) { options.room.answerLimit = std::chrono::seconds(seconds); },
        "seconds an answer may take (default: 600)");
    app.add_option_function<unsigned>(
        "--rest-after",
        [&options](unsigned minutes) { options.room.restAfter = std::chrono::minutes(minutes); },
        "minutes after which an unused model gives its memory back (default: never)");
    app.add_option("--max-connections", options.limits.connections, "of each socket (default: 256)")
        ->check(CLI::Range(1, 900));
    app.add_option_function<std::string>(
        "--data-dir", [](const std::string& folder) { library::useDataDir(folder); },
        "folder of the library, in place of the usual one");
    app.add_option("--host", options.host, "the engine's program and its arguments (for tests)")->group("");
}

}  // namespace ingle::serve
