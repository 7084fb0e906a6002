#include "app/storage/data_places.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>

namespace ingle::storage {
namespace {

namespace fs = std::filesystem;

uint64_t fileBytes(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(path, error))) return 0;
    const uintmax_t bytes = fs::file_size(path, error);
    return error ? 0 : bytes;
}

/// Of all regular files below.
uint64_t folderBytes(const fs::path& folder) {
    uint64_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        bytes += fileBytes(entry->path());
    return bytes;
}

void forEachEntry(const fs::path& folder, const std::function<void(const fs::path&)>& visit) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        visit(entry->path());
}

/// Of the records that some document's list names: a line each, the name of the file without its ending
/// (engine/session/snapshots).
uint64_t documentBytes(const fs::path& snapshots) {
    std::set<std::string> names;
    forEachEntry(snapshots / "documents", [&](const fs::path& list) {
        if (fileBytes(list) == 0) return;
        std::ifstream file(list);
        for (std::string line; std::getline(file, line);) names.insert(line);
    });
    uint64_t bytes = 0;
    for (const std::string& name : names)
        if (name.find('/') == std::string::npos) bytes += fileBytes(snapshots / (name + ".snap"));
    return bytes;
}

/// Of what stands in the data folder, `history` being open.
PlaceKind kindOf(std::string_view name, std::string_view history) {
    if (name == history || name.starts_with(std::string(history) + "-")) return PlaceKind::History;
    const bool isOne = name.starts_with("history.sqlite") || name.starts_with("history-kept-");
    if (!isOne) return PlaceKind::Other;
    const bool isBackup = name.find(".backup-v") != name.npos || name.ends_with(".new-backup");
    return isBackup ? PlaceKind::Backups : PlaceKind::HistoryAside;
}

}  // namespace

std::vector<DataPlace> dataPlaces(const DataFolders& folders) {
    const fs::path data = folders.data, snapshots = data / "snapshots", models = data / "models",
                   crashes = data / "crashes", caches = folders.cache;
    DataPlace history{PlaceKind::History, data / folders.history, 0}, backups{PlaceKind::Backups, data, 0},
        other{PlaceKind::Other, data, 0};
    std::vector<DataPlace> places;
    forEachEntry(data, [&](const fs::path& path) {
        if (path == snapshots || path == models || path == crashes || path == caches) return;
        std::error_code error;
        if (fs::is_directory(fs::symlink_status(path, error))) {
            const bool isOfServer = path.filename().string().starts_with("snapshots-");
            if (isOfServer)
                places.push_back({PlaceKind::Caches, path, folderBytes(path)});
            else
                other.bytes += folderBytes(path);
            return;
        }
        const uint64_t bytes = fileBytes(path);
        switch (kindOf(path.filename().string(), folders.history)) {
            case PlaceKind::History:
                history.bytes += bytes;
                break;
            case PlaceKind::Backups:
                backups.bytes += bytes;
                break;
            case PlaceKind::HistoryAside:
                places.push_back({PlaceKind::HistoryAside, path, bytes});
                break;
            default:
                other.bytes += bytes;
        }
    });
    places.push_back(history);
    const uint64_t memory = folderBytes(snapshots);
    const uint64_t documents = std::min(documentBytes(snapshots), memory);
    places.push_back({PlaceKind::DocumentMemory, snapshots, documents});
    // What both need counts as the document's: it goes with that.
    places.push_back({PlaceKind::ChatMemory, snapshots, memory - documents});
    forEachEntry(models, [&](const fs::path& path) {
        places.push_back({PlaceKind::MadeModel, path, fileBytes(path)});
    });
    places.push_back({PlaceKind::CrashReports, crashes, folderBytes(crashes)});
    if (!folders.cache.empty()) places.push_back({PlaceKind::Caches, caches, folderBytes(caches)});
    places.push_back(backups);
    places.push_back(other);
    std::erase_if(
        places, [](const DataPlace& place) { return place.bytes == 0 && place.kind != PlaceKind::History; });
    std::ranges::sort(places, [](const DataPlace& a, const DataPlace& b) {
        return std::tie(a.kind, a.path) < std::tie(b.kind, b.path);
    });
    return places;
}

Status removeFiles(const DataFolders& folders, const DataPlace& place) {
    const auto places = dataPlaces(folders);
    const bool isListed = std::ranges::any_of(
        places, [&](const DataPlace& each) { return each.kind == place.kind && each.path == place.path; });
    if (!isRemovable(place.kind) || !isListed)
        return fail(ErrorCode::InvalidArgument, "{} cannot be removed here.", place.path);
    std::error_code error;
    const auto remove = [&](const fs::path& path) {
        if (!error) fs::remove_all(path, error);
    };
    const auto removeIf = [&](const std::function<bool(const fs::path&)>& isOne) {
        std::vector<fs::path> found;
        forEachEntry(place.path, [&](const fs::path& path) {
            if (isOne(path)) found.push_back(path);
        });
        std::ranges::for_each(found, remove);
    };
    switch (place.kind) {
        case PlaceKind::Backups:
            removeIf([&](const fs::path& path) {
                return kindOf(path.filename().string(), folders.history) == PlaceKind::Backups;
            });
            break;
        case PlaceKind::CrashReports:
        case PlaceKind::Caches:  // their folders stay: somebody may be about to write into them
            removeIf([](const fs::path&) { return true; });
            break;
        default:
            remove(place.path);
    }
    if (error) return fail(ErrorCode::Io, "{} cannot be removed: {}.", place.path, error.message());
    return {};
}

}  // namespace ingle::storage
