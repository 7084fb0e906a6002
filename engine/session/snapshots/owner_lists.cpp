#include "engine/session/snapshots/owner_lists.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>

namespace ingle::session {
namespace {

namespace fs = std::filesystem;

/// Where the lists of what each owner needs lie, in order of OwnerKind.
constexpr std::array kOwnerFolders{"conversations", "documents"};
constexpr const char* kProgramsFolder = "programs";

/// Adds the keys that a list names.
void readList(const fs::path& path, std::set<SnapshotKey>& keys) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (const auto key = keyFromHex(line)) keys.insert(*key);
    }
}

/// Makes the folder and those above it. Errors: Io.
Status makeFolder(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (!error && ::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
        error = {errno, std::generic_category()};
    if (error) return fail(ErrorCode::Io, "{}: cannot be made: {}", path.string(), error.message());
    return {};
}

/// The same, readable by its owner only, with all that lies in it: conversations are private. Errors: Io.
Status makePrivateFolder(const fs::path& path) {
    INGLE_TRY(makeFolder(path));
    std::error_code error;
    // A caged process may change no rights: who started it has done so.
    if (fs::status(path, error).permissions() != fs::perms::owner_all && !error)
        fs::permissions(path, fs::perms::owner_all, error);
    if (error)
        return fail(ErrorCode::Io, "{}: cannot be kept from others: {}", path.string(), error.message());
    return {};
}

}  // namespace

bool isOwnerName(std::string_view name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_';
    };
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, allowed);
}

std::optional<SnapshotKey> keyFromHex(std::string_view hex) {
    if (hex.size() != 32) return std::nullopt;
    SnapshotKey key;
    for (size_t word = 0; word < 2; ++word) {
        const char* begin = hex.data() + word * 16;
        const auto parsed = std::from_chars(begin, begin + 16, key.words[word], 16);
        if (parsed.ec != std::errc{} || parsed.ptr != begin + 16) return std::nullopt;
    }
    return key;
}

OwnerLists::OwnerLists(std::string folder, std::string program)
    : m_folder(std::move(folder)),
      m_program(std::move(program)),
      m_root(m_program.empty() ? m_folder : m_folder / kProgramsFolder / m_program) {}

Status OwnerLists::makeFolders() const {
    if (!m_program.empty() && !isOwnerName(m_program))
        return fail(ErrorCode::InvalidArgument,
                    "'{}' is no name for a program: that has 1 to 64 letters, digits, '-' or '_'", m_program);
    INGLE_TRY(makePrivateFolder(m_folder));
    for (const char* owners : kOwnerFolders) INGLE_TRY(makeFolder(m_root / owners));
    return {};
}

void OwnerLists::note(const SnapshotKey& key, const SnapshotOwner& owner) const {
    const fs::path path = pathOf(owner);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) return;  // not ours, and a pipe would wait
    std::ofstream(path, std::ios::app) << key.hex() << '\n';
}

std::set<SnapshotKey> OwnerLists::needed(const SnapshotOwner* leftOut) const {
    const fs::path other = leftOut ? pathOf(*leftOut) : fs::path();
    std::set<SnapshotKey> keys;
    forEachListOfAll([&](OwnerKind, const fs::path& path) {
        if (path != other) readList(path, keys);
    });
    return keys;
}

std::set<SnapshotKey> OwnerLists::neededByDocuments() const {
    std::set<SnapshotKey> keys;
    forEachListOfAll([&](OwnerKind kind, const fs::path& path) {
        if (kind == OwnerKind::Document) readList(path, keys);
    });
    return keys;
}

void OwnerLists::retain(const std::set<SnapshotOwner>& owners) const {
    forEachList(m_root, [&](OwnerKind kind, const fs::path& path) {
        std::error_code ignored;
        if (!owners.contains({kind, path.filename().string()})) fs::remove(path, ignored);
    });
}

fs::path OwnerLists::pathOf(const SnapshotOwner& owner) const {
    return m_root / kOwnerFolders[static_cast<size_t>(owner.kind)] / owner.name;
}

void OwnerLists::forEachList(const fs::path& root, const Visit& visit) {
    for (size_t kind = 0; kind < kOwnerFolders.size(); ++kind) {
        std::error_code error;
        for (fs::directory_iterator entry(root / kOwnerFolders[kind], error), end; !error && entry != end;
             entry.increment(error)) {
            std::error_code strange;
            if (entry->is_regular_file(strange))
                visit(static_cast<OwnerKind>(kind), entry->path());  // else not ours
        }
    }
}

void OwnerLists::forEachListOfAll(const Visit& visit) const {
    forEachList(m_folder, visit);
    std::error_code error;
    for (fs::directory_iterator entry(m_folder / kProgramsFolder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (isOwnerName(entry->path().filename().string())) forEachList(entry->path(), visit);
    }
}

}  // namespace ingle::session
