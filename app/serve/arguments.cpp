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
    app.add_option("--kv-memory", options.room.load.kvMemory,
                   "device or main: whose memory holds the keys and values of a graphics device")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, KvMemory>{{"device", KvMemory::Device}, {"main", KvMemory::Main}}));
    app.add_option("--max-answers", options.room.mostAnswers,
                   fmt::format("answers under way; {} are written at once, the others wait (default: {})",
                               kMostAtOnce, options.room.mostAnswers))
        ->check(CLI::Range(1, 240));
    app.add_option_function<unsigned>(
           "--timeout",
           [&options](unsigned seconds) { options.room.answerLimit = std::chrono::seconds(seconds); },
           "seconds an answer may take (default: 600)")
        ->check(CLI::PositiveNumber);
    app.add_option_function<unsigned>(
        "--rest-after",
        [&options](unsigned minutes) { options.room.restAfter = std::chrono::minutes(minutes); },
        "minutes after which an unused model gives its memory back (default: never)");
    app.add_option("--max-connections", options.limits.connections, "of each socket (default: 512)")
        ->check(CLI::Range(1, 900));
    app.add_option_function<std::string>(
        "--data-dir", [](const std::string& folder) { library::useDataDir(folder); },
        "folder of the library, in place of the usual one");
    bench::LoadOptions& bench = options.bench;
    constexpr const char* kBench = "Load generator";
    app.add_option("--bench", bench.url, "load a server, up to its /v1, in place of being one")
        ->group(kBench);
    app.add_option("--bench-model", bench.model, "(default: the first one that it names)")->group(kBench);
    app.add_option("--rate", bench.requestsPerSecond,
                   "mean of arrivals a second (Poisson); without it clients ask again and again")
        ->check(CLI::NonNegativeNumber)
        ->group(kBench);
    app.add_option("--clients", bench.clients, "at once (default: 8)")
        ->group(kBench)
        ->check(CLI::Range(1, 2000));
    app.add_option_function<unsigned>(
           "--seconds", [&bench](unsigned seconds) { bench.duration = std::chrono::seconds(seconds); },
           "how long requests are made (default: 30)")
        ->group(kBench);
    app.add_option("--prompt-words", bench.promptWords, "mean length of a question (default: 100)")
        ->check(CLI::PositiveNumber)
        ->group(kBench);
    app.add_option("--shared-words", bench.sharedWords, "words that all questions begin with (default: 0)")
        ->group(kBench);
    app.add_option("--answer-tokens", bench.answerTokens, "mean limit of an answer (default: 100)")
        ->check(CLI::PositiveNumber)
        ->group(kBench);
    app.add_option("--bench-seed", bench.seed, "of arrivals and lengths (default: 1)")->group(kBench);
    app.add_option("--good-first", bench.firstTokenLimit, "seconds to the first words that count as good (2)")
        ->check(CLI::PositiveNumber)
        ->group(kBench);
    app.add_option("--good-token", bench.perTokenLimit, "seconds per token that count as good (0.2)")
        ->check(CLI::PositiveNumber)
        ->group(kBench);
    app.add_option("--host", options.host, "the engine's program and its arguments (for tests)")->group("");
}

}  // namespace ingle::serve
