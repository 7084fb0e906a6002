// Where the Vulkan loader looks for drivers: "Driver Discovery on Linux" in its LoaderDriverInterface.md.
#include <sys/utsname.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "engine/backend/vulkan/trial/probe_process.h"

namespace ingle::backend::vulkan {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name, const std::string& otherwise = {}) {
    const char* value = std::getenv(name);
    return value && *value ? value : otherwise;
}

std::vector<std::string> splitPaths(std::string_view paths) {
    std::vector<std::string> parts;
    while (!paths.empty()) {
        const size_t end = std::min(paths.find(':'), paths.size());
        if (end > 0) parts.emplace_back(paths.substr(0, end));
        paths.remove_prefix(std::min(end + 1, paths.size()));
    }
    return parts;
}

/// Whatever lies in a folder, which need not be there.
std::vector<fs::path> filesIn(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code ignored;
    // Not a range-for: its steps throw.
    for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored))
        found.push_back(entry->path());
    return found;
}

/// The manifests, or folders of them, that the loader would read.
std::vector<fs::path> driverPlaces() {
    std::vector<fs::path> places;
    const std::string files = environment("VK_DRIVER_FILES", environment("VK_ICD_FILENAMES"));
    for (const std::string& path : splitPaths(files)) places.emplace_back(path);
    if (!places.empty()) return places;
    const std::string home = environment("HOME");
    std::string bases = environment("XDG_CONFIG_HOME", home + "/.config");
    for (const std::string& more :
         {environment("XDG_CONFIG_DIRS", "/etc/xdg"), std::string("/usr/local/etc:/etc"),
          environment("XDG_DATA_HOME", home + "/.local/share"),
          environment("XDG_DATA_DIRS", "/usr/local/share:/usr/share")})
        bases += ':' + more;
    for (const std::string& base : splitPaths(bases)) places.push_back(fs::path(base) / "vulkan/icd.d");
    for (const std::string& path : splitPaths(environment("VK_ADD_DRIVER_FILES"))) places.emplace_back(path);
    return places;
}

std::vector<fs::path> manifests() {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const fs::path& place : driverPlaces()) {
        if (fs::is_directory(place, ignored))
            std::ranges::move(filesIn(place), std::back_inserter(found));
        else
            found.push_back(place);
    }
    std::ranges::sort(found);
    return found;
}

/// What drivers open: DRM's files, and those of NVIDIA's own driver. Who may open them is told too, since
/// membership of a group may be what was missing.
std::vector<std::string> deviceFiles() {
    std::vector<std::string> found;
    for (const fs::path& path : filesIn("/dev/dri"))
        found.push_back(fmt::format("{} {}", path.string(), ::access(path.c_str(), R_OK | W_OK)));
    for (int i = 0; ::access(fmt::format("/dev/nvidia{}", i).c_str(), F_OK) == 0; ++i)
        found.push_back(fmt::format("nvidia{}", i));
    std::ranges::sort(found);
    return found;
}

}  // namespace

std::string installedDriversKey() {
    std::string text;
    utsname kernel{};
    if (::uname(&kernel) == 0) text += kernel.release;
    for (const std::string& file : deviceFiles()) text += "\n" + file;
    for (const fs::path& path : manifests()) {
        std::error_code ignored;
        const auto changed = fs::last_write_time(path, ignored).time_since_epoch().count();
        std::ifstream file(path, std::ios::binary);
        const std::string content{std::istreambuf_iterator<char>(file), {}};
        text += fmt::format("\n{} {} {}", path.string(), changed, content);
    }
    return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

}  // namespace ingle::backend::vulkan
