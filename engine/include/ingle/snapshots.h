/// What conversations left in memory, kept on disk, so that reopening, editing and branching do not read the
/// whole chat again.
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
    std::string folder;  ///< made when missing; several processes may use it at the same time
    uint64_t maxBytes = uint64_t{4} << 30;
    /// Whose conversations and documents they are: each program has names of its own. "" is the window; else
    /// 1 to 64 letters, digits, '-' or '_'.
    std::string program;
};

/// A handle to a store, shared by the engines that use it. Copies mean the same store.
class Snapshots {
  public:
    Snapshots() = default;  ///< no store: nothing is kept
    /// Errors: Io (the folder cannot be made or read), InvalidArgument (the name of the program).
    static Result<Snapshots> open(const SnapshotOptions& options);

    /// Deletes everything that none of these conversations and documents (ReadRequest::keeper) needs, nor one
    /// of another program: to be told which there are after one was deleted, and at the start. Returns before
    /// the files are gone.
    void retain(std::vector<std::string> conversations, std::vector<std::string> documents = {}) const;
    /// Waits until everything asked for is on disk or gone.
    void waitUntilWritten() const;

    const std::shared_ptr<session::SnapshotStore>& store() const { return m_store; }

  private:
    std::shared_ptr<session::SnapshotStore> m_store;
};

}  // namespace ingle
