#include "app/sandbox/hidden_places.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

namespace ingle::sandbox {
namespace {

namespace fs = std::filesystem;

bool hasHiddenPart(const fs::path& path) {
    return std::ranges::any_of(path, [](const fs::path& part) {
        const std::string name = part.string();
        return name.starts_with('.') && name != "." && name != "..";
    });
}

fs::path resolved(const fs::path& path) {
    std::error_code unknown;
    return fs::weakly_canonical(path, unknown);
}

bool isWithin(const fs::path& path, const fs::path& folder) {
    const auto relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

/// Where the links of a folder lead that `isMeant` takes.
void addTargets(const fs::path& folder, bool (*isMeant)(const fs::path& name),
                std::vector<fs::path>& places) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (entry->is_symlink(error) && isMeant(entry->path().filename()))
            places.push_back(resolved(entry->path()));
}

std::vector<fs::path> hiddenFolders() {
    std::vector<fs::path> places;
    const char* home = std::getenv("HOME");
    const std::pair<const char*, const char*> folders[] = {{"XDG_CONFIG_HOME", ".config"},
                                                           {"XDG_DATA_HOME", ".local/share"},
                                                           {"XDG_CACHE_HOME", ".cache"},
                                                           {"XDG_RUNTIME_DIR", nullptr}};
    const auto any = [](const fs::path&) { return true; };
    for (const auto& [name, usual] : folders) {
        const char* stated = std::getenv(name);
        std::vector<fs::path> named;
        if (stated && *stated) named.emplace_back(stated);
        if (home && usual) named.push_back(fs::path(home) / usual);
        for (const fs::path& folder : named) {
            places.push_back(resolved(folder));
            addTargets(folder, any, places);
        }
    }
    if (home) addTargets(home, hasHiddenPart, places);
    std::erase_if(places, [](const fs::path& place) { return place.empty() || !place.has_relative_path(); });
    return places;
}

}  // namespace

bool isHiddenPlace(const fs::path& path) {
    const fs::path real = resolved(path);
    if (real.empty() || hasHiddenPart(path) || hasHiddenPart(real)) return true;
    return std::ranges::any_of(hiddenFolders(),
                               [&](const fs::path& folder) { return isWithin(real, folder); });
}

}  // namespace ingle::sandbox
