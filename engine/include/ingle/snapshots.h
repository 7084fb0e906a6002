/// Snapshots: states of conversations on disk. With them the model does not read a whole chat again when
/// people reopen, edit or branch it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ingle/result.h"

namespace ingle {

namespace session {
class SnapshotStore;
}

struct SnapshotOptions {
    std::string folder;  ///< created if missing; several processes may use it at the same time
    /// The limit for all snapshots in the folder. The least recently used are evicted, but not those of
    /// documents.
    uint64_t maxBytes = uint64_t{4} << 30;
    /// The program that the names of conversations and documents belong to; another one may use the same
    /// names. "" is the window; any other has 1 to 64 letters, digits, '-' or '_'.
    std::string program;
};

/// A handle to a store of snapshots, which several engines can share. Copies refer to the same store.
class Snapshots {
  public:
    Snapshots() = default;  ///< no store: nothing is kept
    /// Errors: Io (the folder cannot be made or read), InvalidArgument (the name of the program).
    static Result<Snapshots> open(const SnapshotOptions& options);

    /// Deletes the snapshots that none of these conversations and documents (ReadRequest::keeper) needs and
    /// that no other program needs. Call it with all that exist, at the start and after one was deleted. It
    /// returns before the files are gone.
    void retain(std::vector<std::string> conversations, std::vector<std::string> documents = {}) const;
    /// Waits until everything that was to be written or deleted is on disk or gone.
    void waitUntilWritten() const;

    const std::shared_ptr<session::SnapshotStore>& store() const { return m_store; }

  private:
    std::shared_ptr<session::SnapshotStore> m_store;
};

}  // namespace ingle
