#include "app/desktop/shell/arguments.h"

#include <algorithm>
#include <string_view>

#include "app/library/library.h"
#include "ingle/version.h"

namespace ingle::desktop {

void declareArguments(CLI::App& app, Arguments& arguments) {
    app.name("inglenook");
    app.description("Inglenook: talk to a language model that runs on this computer.");
    app.set_version_flag("--version", "inglenook " + std::string(version()), "print the version and end");
    app.add_option("FILE", arguments.files,
                   "model to open: a path or a file:// address; an open window takes it over");
    app.add_flag("--new-chat", arguments.newChat, "begin a new conversation");
    CLI::Option* dataDir = app.add_option("--data-dir", arguments.dataDir,
                                          "folder for conversations and settings (default: "
                                          "~/.local/share/inglenook)")
                               ->type_name("FOLDER");
    app.add_flag_callback(
           "--portable", [&arguments] { arguments.dataDir = library::portableDataDir(); },
           "keep conversations and settings in the folder of the program")
        ->excludes(dataDir);
}

std::optional<std::string> answerAtOnce(int argc, const char* const* argv) {
    Arguments arguments;
    CLI::App app;
    declareArguments(app, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return app.help();
    } catch (const CLI::CallForVersion& version) {
        return std::string(version.what()) + "\n";
    } catch (const CLI::ParseError&) {
        // Qt's own options may be among them; what is left is parsed later.
    }
    return std::nullopt;
}

std::optional<std::string> chosenDataDir(int argc, const char* const* argv) {
    constexpr std::string_view kQtOptions[] = {
        "platform",        "platformpluginpath", "platformtheme", "plugin",  "qmljsdebugger",
        "qwindowgeometry", "qwindowicon",        "qwindowtitle",  "reverse", "session",
        "display",         "geometry",           "name",          "icon",    "title"};
    Arguments arguments;
    CLI::App app;
    declareArguments(app, arguments);
    app.allow_extras();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError&) {
        return std::nullopt;
    }
    for (const std::string& extra : app.remaining()) {
        const size_t begin = std::min(extra.find_first_not_of('-'), extra.size());
        const std::string_view name = std::string_view(extra).substr(begin, extra.find('=') - begin);
        if (begin > 0 && std::ranges::find(kQtOptions, name) == std::end(kQtOptions)) return std::nullopt;
    }
    return arguments.dataDir;
}

Result<Arguments> parseArguments(int argc, const char* const* argv) {
    Arguments arguments;
    CLI::App app;
    declareArguments(app, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return fail(ErrorCode::InvalidArgument, "{} (see inglenook --help)", error.what());
    }
    return arguments;
}

}  // namespace ingle::desktop
