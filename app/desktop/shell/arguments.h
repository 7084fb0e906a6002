/// The command line of `inglenook`. No Qt here: the manual page and the completion are made from it, too.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ingle/result.h"

namespace ingle::desktop {

struct Arguments {
    std::vector<std::string> files;  ///< as they were given, see fileOfArgument()
    std::string dataDir;             ///< empty: the usual one
    bool newChat = false;
};

/// Declares every argument; `arguments` must live as long as `app`.
void declareArguments(CLI::App& app, Arguments& arguments);

/// What --help or --version prints, if one of them is there. It needs no display, so it is asked for before
/// Qt has looked for one and taken its own options out of the command line.
std::optional<std::string> answerAtOnce(int argc, const char* const* argv);

/// The data folder that they choose, or an empty text, also while Qt's own options are among them. Nothing:
/// there is something among them that is neither.
std::optional<std::string> chosenDataDir(int argc, const char* const* argv);

/// Errors: InvalidArgument, naming what is wrong.
Result<Arguments> parseArguments(int argc, const char* const* argv);

}  // namespace ingle::desktop
