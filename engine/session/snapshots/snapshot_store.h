/// The folder of snapshots: records by key, least recently used ones go first when the limit is reached.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "engine/session/snapshots/snapshot_file.h"
#include "ingle/snapshots.h"

namespace ingle::session {

enum class OwnerKind {
    Conversation,
    Document,  ///< its records stay however much room they take, until retain() leaves it out
};

/// Who needs a record.
struct SnapshotOwner {
    OwnerKind kind = OwnerKind::Conversation;
    std::string name;  ///< 1 to 64 letters, digits, '-' or '_'
};

/// Writing, evicting and forgetting happen on a thread of its own, so that no token waits for a disk; a
/// failed write costs a later re-read and nothing else. Any thread.
class SnapshotStore {
  public:
    /// Errors: Io.
    static Result<std::shared_ptr<SnapshotStore>> open(const SnapshotOptions& options);
    /// Drops what is not written yet.
    ~SnapshotStore();

    bool contains(const SnapshotKey& key) const;
    /// Marks the record as used now. A damaged one is deleted. Errors: as readSnapshot().
    Result<backend::SavedState> read(const SnapshotKey& key, KvType kv, backend::TokenRange range,
                                     uint64_t stateBytes);
    /// Notes that the owner needs the record; when the record is not there yet, `state` is called for
    /// it. Nothing happens when too much is waiting to be written.
    void write(const SnapshotKey& key, const SnapshotOwner& owner,
               const std::function<Result<backend::SavedState>()>& state);
    /// Once `later` is on the disk, `earlier` goes unless somebody beside `owner` needs it.
    void replace(const SnapshotKey& earlier, const SnapshotKey& later, const SnapshotOwner& owner);
    /// See Snapshots::retain.
    void retain(std::vector<std::string> conversations, std::vector<std::string> documents = {});
    void waitUntilWritten();

    const std::string& folder() const { return m_options.folder; }
    uint64_t totalBytes() const;

  private:
    struct Record {
        uint64_t bytes = 0;
        int64_t usedNs = 0;  ///< when it was last used, also the file's modification time
    };
    using Task = std::function<void()>;

    explicit SnapshotStore(SnapshotOptions options) : m_options(std::move(options)) {}
    Status readFolder();
    void workerMain();
    void enqueue(Task task);
    void writeRecord(const SnapshotKey& key, const backend::SavedState& state);
    void noteOwner(const SnapshotKey& key, const SnapshotOwner& owner);
    /// Each owner's list of keys.
    void forEachOwner(const std::function<void(OwnerKind, const std::filesystem::path&)>& visit) const;
    /// What any other owner needs is listed in a file of its own: all of them are looked through.
    bool othersNeed(const SnapshotKey& key, const SnapshotOwner& owner) const;
    void removeUnneeded(const std::set<std::string>& ownerPaths);
    /// Of records that no document needs.
    uint64_t evictableBytes() const;
    void evict();
    void remove(const SnapshotKey& key);
    std::string pathOf(const SnapshotKey& key) const;
    std::string ownerPath(const SnapshotOwner& owner) const;

    const SnapshotOptions m_options;

    mutable std::mutex m_mutex;  ///< guards everything below
    std::map<SnapshotKey, Record> m_records;
    uint64_t m_totalBytes = 0;
    std::set<SnapshotKey> m_waiting;  ///< to be written
    uint64_t m_waitingBytes = 0;
    std::set<std::pair<std::string, SnapshotKey>> m_noted;  ///< owners' paths this process has written down
    std::set<SnapshotKey> m_kept;                           ///< what documents need
    std::deque<Task> m_tasks;
    bool m_busy = false;
    bool m_stop = false;
    std::condition_variable m_changed;
    std::thread m_worker;
};

}  // namespace ingle::session
