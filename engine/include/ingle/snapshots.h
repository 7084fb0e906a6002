/// What conversations left in memory, kept on disk, so that reopening, editing and branching do not read the
/// whole chat again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ingle/result.h"

namespace ingle {

namespace session {
class SnapshotStore;
}

struct SnapshotOptions {
    std::string folder;  ///< made when missing; used by one process at a time
    uint64_t maxBytes = uint64_t{4} << 30;
};

/// A handle to a store, shared by the engines that use it. Copies mean the same store.
class Snapshots {
  public:
    Snapshots() = default;  ///< no store: nothing is kept
    /// Errors: Io (the folder cannot be made or read).
    static Result<Snapshots> open(const SnapshotOptions& options);

    /// Deletes what only this conversation needed, and keeps nothing more of it. Returns before the files are
    /// gone. Errors: InvalidArgument (not a conversation's name: 1 to 64 letters, digits, '-' or '_').
    Status forget(std::string_view conversation) const;
    /// Waits until everything asked for is on disk or gone.
    void waitUntilWritten() const;

    const std::shared_ptr<session::SnapshotStore>& store() const { return m_store; }

  private:
    std::shared_ptr<session::SnapshotStore> m_store;
};

}  // namespace ingle
