/// The command line of `ingle` as a whole: every subcommand and what stands before it.
#pragma once

#include "app/cli/command.h"

namespace ingle::cli {

/// Declares it; parsing sets `chosen` to what is to be done. `chosen` must live as long as `app`.
void declareCommandLine(CLI::App& app, Action& chosen);

}  // namespace ingle::cli
