/// `ingle`: the command line. Exit codes: 0 done, 1 failed (one line on stderr), 2 wrong usage.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "app/cli/command.h"
#include "app/sandbox/sandbox.h"

namespace {

int report(const ingle::Error& error) {
    std::string line = error.message;
    std::ranges::replace(line, '\n', ' ');
    fmt::print(stderr, "ingle: {}\n", line);
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (const auto denied = ingle::sandbox::denyInternetSockets(); !denied) return report(denied.error());

    CLI::App app{"Inglenook's engine on the command line: runs language models, offline."};
    app.require_subcommand(1);
    ingle::cli::Action chosen;
    for (const ingle::cli::Command* command : ingle::cli::allCommands()) {
        CLI::App* sub = app.add_subcommand(command->name, command->description);
        sub->callback([&chosen, action = command->define(*sub)] { chosen = action; });
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    const ingle::Status status = chosen();
    if (!status) return report(status.error());
    // A full disk or a closed pipe shows only here.
    if (std::fflush(stdout) != 0) return report({ingle::ErrorCode::Io, "cannot write to standard output"});
    return 0;
}
