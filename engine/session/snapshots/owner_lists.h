/// Who needs which record: one list per conversation and document, of each program that uses the folder.
#pragma once

#include <compare>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/session/snapshots/snapshot_file.h"

namespace ingle::session {

enum class OwnerKind {
    Conversation,
    Document,  ///< its records stay however much room they take, until retain() leaves it out
};

/// Who needs a record.
struct SnapshotOwner {
    OwnerKind kind = OwnerKind::Conversation;
    std::string name;  ///< as isOwnerName() wants it
    auto operator<=>(const SnapshotOwner&) const = default;
};

/// 1 to 64 letters, digits, '-' or '_': a file's name that leads nowhere else.
bool isOwnerName(std::string_view name);
/// The record of which that is the name of a file without its ending.
std::optional<SnapshotKey> keyFromHex(std::string_view hex);

/// Lists lie in `conversations/` and `documents/`, those of another program than the window in
/// `programs/<name>/conversations/` and `programs/<name>/documents/`. A list has one key per line. One thread
/// at a time; what holds between several calls is up to the lock of the folder.
class OwnerLists {
  public:
    /// `program`: "" for the window's.
    OwnerLists(std::string folder, std::string program);

    /// The store's folder, too. Errors: Io, InvalidArgument (no name of a program; nothing is made then).
    Status makeFolders() const;
    /// Adds to the owner's list; what cannot be written goes at the next retain().
    void note(const SnapshotKey& key, const SnapshotOwner& owner) const;
    /// What the owners of all programs need, but for one of this program.
    std::set<SnapshotKey> needed(const SnapshotOwner* leftOut = nullptr) const;
    /// What the documents of all programs need.
    std::set<SnapshotKey> neededByDocuments() const;
    /// Removes the lists of this program's other owners.
    void retain(const std::set<SnapshotOwner>& owners) const;

  private:
    using Visit = std::function<void(OwnerKind, const std::filesystem::path&)>;
    std::filesystem::path pathOf(const SnapshotOwner& owner) const;
    /// The lists below a program's folder.
    static void forEachList(const std::filesystem::path& root, const Visit& visit);
    void forEachListOfAll(const Visit& visit) const;

    const std::filesystem::path m_folder;
    const std::string m_program;
    const std::filesystem::path m_root;  ///< this program's folder
};

}  // namespace ingle::session
