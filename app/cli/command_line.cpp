#include "app/cli/command_line.h"

#include "app/library/library.h"
#include "ingle/version.h"

namespace ingle::cli {

void declareCommandLine(CLI::App& app, Action& chosen) {
    app.description("Inglenook's engine on the command line: runs language models, offline.");
    app.name("ingle");
    app.require_subcommand(1);
    app.set_version_flag("--version", "ingle " + std::string(version()), "print the version and end");
    CLI::Option* dataDir = app.add_option_function<std::string>(
                                  "--data-dir", library::useDataDir,
                                  "folder for the library and what makes conversations quick to reopen "
                                  "(default: ~/.local/share/inglenook)")
                               ->type_name("FOLDER");
    app.add_flag_callback(
           "--portable", [] { library::useDataDir(library::portableDataDir()); },
           "keep them in the folder of the program")
        ->excludes(dataDir);
    for (const Command* command : allCommands()) {
        CLI::App* sub = app.add_subcommand(command->name, command->description);
        sub->callback([&chosen, action = command->define(*sub)] { chosen = action; });
    }
}

}  // namespace ingle::cli
