#include "app/cli/confinement.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "app/cli/driver_trials.h"
#include "app/cli/model_files.h"

namespace ingle::cli {
namespace {

using sandbox::Role;

/// Whoever asks for it later could not look it up.
void rememberHome() {
    if (std::getenv("HOME")) return;
    if (const passwd* user = ::getpwuid(::getuid())) ::setenv("HOME", user->pw_dir, 0);
}

/// The folder of what is kept about graphics drivers, theirs included; made if it is missing.
void addGraphicsCache(sandbox::Given& files) {
    const std::string folder = driverTrials().folder;
    for (const char* variable : {"MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"}) {
        if (!folder.empty()) ::setenv(variable, folder.c_str(), 0);
        if (const char* chosen = std::getenv(variable)) files.writable.emplace_back(chosen);
    }
    files.writable.push_back(folder);
}

}  // namespace

Result<Confined> confine(Needs needs) {
    rememberHome();
    addGraphicsCache(needs.files);
    INGLE_TRY_ASSIGN(auto broker, Broker::start(std::move(needs.broker)));
    INGLE_TRY_ASSIGN(const auto enforced,
                     sandbox::enter(sandbox::cageFor(Role::Engine, std::move(needs.files))));
    Broker* theBroker = broker.release();
    useOutside(
        {.open = [theBroker](const std::string& path) { return theBroker->open(path); },
         .tryDrivers =
             [theBroker](const std::vector<std::string>& more) { return theBroker->tryDrivers(more); },
         .visionFiles = [theBroker](const std::string& model) { return theBroker->visionFiles(model); }});
    return Confined{theBroker, enforced};
}

Status confineTo(std::vector<std::string> models, sandbox::Given files) {
    INGLE_TRY(confine(
        {{.models = std::move(models), .requests = -1, .import = {}, .decode = {}}, std::move(files)}));
    return {};
}

Status confineTrial() {
    rememberHome();
    sandbox::Given files;
    addGraphicsCache(files);
    INGLE_TRY(sandbox::enter(sandbox::cageFor(Role::DriverTrial, std::move(files))));
    return {};
}

Status confineImport(const std::vector<std::string>& sources, const std::string& folder) {
    sandbox::Given files{.readable = {}, .writable = {folder}};
    for (const std::string& source : sources)
        for (std::string& file : filesOfModel(source)) files.readable.push_back(std::move(file));
    INGLE_TRY(sandbox::enter(sandbox::cageFor(Role::Import, std::move(files))));
    return {};
}

}  // namespace ingle::cli
