#include "app/cli/driver_trials.h"

#include <filesystem>

#include "app/library/library.h"

namespace ingle::cli {

DriverTrials driverTrials() {
    namespace fs = std::filesystem;
    // Not the path: an upgrade may have replaced the file there.
    DriverTrials trials{.command = {"/proc/self/exe", "host", "--probe-devices"}};
    const fs::path folder = fs::path(library::defaultCacheDir()) / "graphics";
    std::error_code error;
    fs::create_directories(folder, error);
    // A caged process may change no rights: this was done before.
    if (!error && fs::status(folder, error).permissions() != fs::perms::owner_all)
        fs::permissions(folder, fs::perms::owner_all, error);
    // Without the folder drivers are tried out each time, and nothing is remembered.
    if (!error) trials.folder = folder.string();
    return trials;
}

}  // namespace ingle::cli
