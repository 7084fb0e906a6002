/// Subcommands of `ingle`. One file per subcommand: app/cli/commands/<name>.cpp defines `extern const Command
/// command` in the namespace `<name>_command`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>

#include "ingle/result.h"

namespace ingle::cli {

/// What a subcommand does once its options are parsed.
using Action = std::function<Status()>;

struct Command {
    const char* name;
    const char* description;
    /// Declares options and returns the action; whatever it captures must own what the options write to.
    Action (*define)(CLI::App& app);
};

std::span<const Command* const> allCommands();

}  // namespace ingle::cli
