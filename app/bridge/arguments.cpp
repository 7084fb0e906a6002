#include "app/bridge/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ingle/version.h"

namespace ingle::bridge {

void declareArguments(CLI::App& app, Arguments& arguments) {
    app.description(
        "let programs that speak Inglenook's host protocol use models of a server far away, which speaks "
        "OpenAI's interface: what is asked leaves this computer");
    app.set_version_flag("--version", fmt::format("ingle-bridge {}", version()));
    app.add_option("--url", arguments.url,
                   "address of the server, as https://host/v1 (default: what "
                   "~/.config/inglenook/bridge.conf says)");
    app.add_option("--key-file", arguments.keyFile,
                   "file with its key, which nobody else may be able to read");
    app.add_option("--model", arguments.models, "models to offer (default: all that the server has)");
    app.add_option("--socket", arguments.socket,
                   "where to listen (default: inglenook/bridge.sock in $XDG_RUNTIME_DIR)");
    app.add_flag("--insecure", arguments.isInsecure,
                 "allow http:// to another computer: chats and key can be read on the way");
}

}  // namespace ingle::bridge
