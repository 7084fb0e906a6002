/// Where the bytes of a front end lie: what there is, how large it is, and removing what may go. Looks at
/// names and sizes only; any thread, best one that nobody waits for. No Qt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingle/result.h"

namespace ingle::storage {

enum class PlaceKind {
    History,         ///< with its log
    Backups,         ///< all of them
    HistoryAside,    ///< one that was put aside: before a backup was restored, damaged, or kept beside
    ChatMemory,      ///< what models have read of conversations
    DocumentMemory,  ///< … and of documents
    MadeModel,       ///< a model that was made smaller here
    CrashReports,
    Caches,  ///< what is made again when it is missing
    Other,   ///< settings, the list of models, locks
};

struct DataPlace {
    PlaceKind kind = PlaceKind::Other;
    std::string path;  ///< a file, a folder, or the folder that holds all of it
    uint64_t bytes = 0;
};

struct DataFolders {
    std::string data;
    std::string cache;    ///< empty: none
    std::string history;  ///< the name of the file that is open, in `data`
};

/// In the order of PlaceKind; what is empty is left out, but for the history. Links are not followed. A
/// folder that cannot be read counts nothing.
std::vector<DataPlace> dataPlaces(const DataFolders& folders);

/// Whether removeFiles() does it. (The memory is the engine's and goes through it.)
constexpr bool isRemovable(PlaceKind kind) {
    return kind == PlaceKind::Backups || kind == PlaceKind::HistoryAside || kind == PlaceKind::MadeModel ||
           kind == PlaceKind::CrashReports || kind == PlaceKind::Caches;
}
/// Removes what dataPlaces() has listed so. Errors: Io; InvalidArgument when it is not removable, or there no
/// longer.
Status removeFiles(const DataFolders& folders, const DataPlace& place);

}  // namespace ingle::storage
