#include "app/cli/host/host.h"

#include "app/cli/command.h"

namespace ingle::cli {
namespace {

Action define(CLI::App& app) {
    auto paceMs = std::make_shared<int>(0);
    app.add_option("--pace-ms", *paceMs, "wait after every step (for tests)")->check(CLI::Range(0, 60'000));
    return [paceMs] {
        return runHost({std::chrono::milliseconds(*paceMs)},
                       {[](const std::string& path) { return inspectModel(path); }, Engine::load});
    };
}

}  // namespace

extern const Command host_command;
const Command host_command{"host", "serve the window over standard input and output", define};

}  // namespace ingle::cli
