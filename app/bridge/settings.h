/// The file that `ingle-bridge` reads when its command line names no server.
#pragma once

#include <string>

#include "app/bridge/arguments.h"
#include "ingle/result.h"

namespace ingle::bridge {

/// $XDG_CONFIG_HOME/inglenook/bridge.conf, else ~/.config/inglenook/bridge.conf.
std::string settingsPath();

/// Adds what the file at `path` says to what the command line said, which comes first. A line is
/// `NAME = VALUE`, with the names of the options, `#` before a comment, and `model` as often as wanted; a
/// relative path of the key is one from the file's folder. `app` and `arguments` as declareArguments() left
/// them and the command line filled them. Errors: Io; InvalidArgument (no file, no server in it, what is no
/// setting).
Status readSettings(CLI::App& app, Arguments& arguments, const std::string& path);

}  // namespace ingle::bridge
