/// Prints, as JSON, what the programs can be told on their command lines: manual pages and completion are
/// made from it at build time. Not installed.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/bridge/arguments.h"
#include "app/cli/command_line.h"
#include "app/serve/arguments.h"
#ifdef INGLE_WITH_DESKTOP
#include "app/desktop/shell/arguments.h"
#endif

namespace {

using nlohmann::json;

json describe(const CLI::Option& option) {
    json names = json::array();
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return {{"names", names},
            {"positional", option.get_positional() ? json(option.get_name(true)) : json()},
            {"description", option.get_description()},
            {"value", option.get_type_name().empty() ? json() : json(option.get_type_name())},
            {"required", option.get_required()},
            {"many", option.get_expected_max() > 1}};
}

json describe(const CLI::App& app, const std::string& name) {
    json options = json::array();
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_group().empty()) options.push_back(describe(*option));
    }
    json commands = json::array();
    for (const CLI::App* command : app.get_subcommands(nullptr)) {
        commands.push_back(describe(*command, command->get_name()));
    }
    return {
        {"name", name}, {"description", app.get_description()}, {"options", options}, {"commands", commands}};
}

}  // namespace

int main() {
    json programs = json::array();
    {
        CLI::App app;
        ingle::cli::Action ignored;
        ingle::cli::declareCommandLine(app, ignored);
        programs.push_back(describe(app, "ingle"));
    }
    {
        CLI::App app;
        ingle::serve::Options ignored;
        ingle::serve::declareArguments(app, ignored);
        programs.push_back(describe(app, "ingle-serve"));
    }
    {
        CLI::App app;
        ingle::bridge::Arguments ignored;
        ingle::bridge::declareArguments(app, ignored);
        programs.push_back(describe(app, "ingle-bridge"));
    }
#ifdef INGLE_WITH_DESKTOP
    {
        CLI::App app;
        ingle::desktop::Arguments ignored;
        ingle::desktop::declareArguments(app, ignored);
        programs.push_back(describe(app, "inglenook"));
    }
#endif
    std::puts(programs.dump(1).c_str());
    return std::fflush(stdout) == 0 ? 0 : 1;
}
