#include "app/bridge/settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ingle/shown_text.h"

namespace ingle::bridge {
namespace {

namespace fs = std::filesystem;

/// As the command line would have it, last one first, without what that says itself.
Result<std::vector<std::string>> argumentsOf(const CLI::App& app, std::istream& file) {
    std::vector<std::string> arguments;
    for (const CLI::ConfigItem& item : app.get_config_formatter()->from_config(file)) {
        const CLI::Option* option = app.get_option_no_throw("--" + item.name);
        if (!item.parents.empty() || !option || !option->get_configurable())
            return fail(ErrorCode::InvalidArgument,
                        "'{}' is no setting: there are url, key-file, model, socket and insecure",
                        shown(item.name));
        if (option->count() > 0) continue;
        for (const std::string& value : item.inputs)
            arguments.push_back(fmt::format("--{}={}", item.name, value));
    }
    std::ranges::reverse(arguments);
    return arguments;
}

}  // namespace

std::string settingsPath() {
    const char* folder = std::getenv("XDG_CONFIG_HOME");
    const char* home = std::getenv("HOME");
    if (folder && folder[0] == '/') return fmt::format("{}/inglenook/bridge.conf", folder);
    return fmt::format("{}/.config/inglenook/bridge.conf", home ? home : "");
}

Status readSettings(CLI::App& app, Arguments& arguments, const std::string& path) {
    constexpr const char* kNoServer =
        "No server is named: --url does that, or a line like url = https://host/v1 in {}.";
    errno = 0;
    std::ifstream file(path);
    if (!file && errno != ENOENT && errno != ENOTDIR)
        return fail(ErrorCode::Io, "{}: {}", path, std::strerror(errno));
    const std::string keyFile = arguments.keyFile;
    try {
        auto read = argumentsOf(app, file);
        if (!read) return fail(read.error().code, "{}: {}", path, read.error().message);
        app.parse(*std::move(read));
    } catch (const CLI::ParseError& error) {
        return fail(ErrorCode::InvalidArgument, "{}: {}", path, error.what());
    }
    if (arguments.url.empty()) return fail(ErrorCode::InvalidArgument, kNoServer, path);
    if (keyFile.empty() && !arguments.keyFile.empty())
        arguments.keyFile = (fs::path(path).parent_path() / arguments.keyFile).string();
    return {};
}

}  // namespace ingle::bridge
