/// `ingle-serve`: the engine for every program on this computer. Exit codes: 0 done, 1 failed (one line on
/// stderr), 2 wrong usage.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/serve/arguments.h"

int main(int argc, char** argv) {
    CLI::App app;
    ingle::serve::Options options;
    ingle::serve::declareArguments(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    const ingle::Status served =
        options.bench.url.empty() ? ingle::serve::serve(options) : ingle::serve::runBench(options);
    if (served) return 0;
    std::string line = served.error().message;
    std::ranges::replace(line, '\n', ' ');
    fmt::print(stderr, "ingle-serve: {}\n", line);
    return 1;
}
