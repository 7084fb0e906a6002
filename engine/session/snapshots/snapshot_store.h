/// The folder of snapshots: records by key, least recently used ones go first when the limit is reached.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "engine/session/snapshots/folder_lock.h"
#include "engine/session/snapshots/owner_lists.h"
#include "engine/session/snapshots/snapshot_file.h"
#include "ingle/snapshots.h"

namespace ingle::session {

/// Writing, evicting and forgetting happen on a thread of its own, so that no token waits for a disk; a
/// failed write costs a later re-read and nothing else. Any thread.
///
/// Several processes may use one folder, as several programs (SnapshotOptions::program) or as one. All that
/// changes it is done under its FolderLock. An owner's note comes before the record, so that a record without
/// a note is one that nobody needs, whoever sees it. What others wrote is seen by refresh(), what they
/// removed at the latest when it is read.
class SnapshotStore {
  public:
    /// Errors: Io, InvalidArgument (the name of the program).
    static Result<std::shared_ptr<SnapshotStore>> open(const SnapshotOptions& options);
    /// Drops what is not written yet.
    ~SnapshotStore();

    /// Looks for what others wrote and removed since: one look at the folder's time, and a walk through its
    /// names where that has changed.
    void refresh();
    /// As far as is known here.
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
    /// As far as is known here.
    uint64_t totalBytes() const;

  private:
    struct Record {
        uint64_t bytes = 0;
        int64_t usedNs = 0;  ///< when it was last used, also the file's modification time
    };
    using Records = std::map<SnapshotKey, Record>;
    using Task = std::function<void()>;

    explicit SnapshotStore(SnapshotOptions options)
        : m_options(std::move(options)), m_owners(m_options.folder, m_options.program) {}
    std::optional<Record> recordOnDisk(const SnapshotKey& key) const;
    /// Those in the folder, for takeOver(). Errors: Io.
    Result<Records> listRecords();
    /// What a process left that ended while it was writing: nobody else writes while the lock is held.
    void removeUnfinished(const FolderLock& lock) const;
    void workerMain();
    void enqueue(Task task);
    /// Nothing when this store is being closed.
    std::optional<FolderLock> lockFolder();
    void writeRecord(const SnapshotKey& key, const backend::SavedState& state);
    void noteOwner(const SnapshotKey& key, const SnapshotOwner& owner);
    void removeUnneeded(const std::set<SnapshotOwner>& owners);
    void evict(const FolderLock& lock);

    // With m_mutex held:
    void insert(const SnapshotKey& key, const Record& record);
    void erase(Records::iterator record);
    void remove(const SnapshotKey& key);
    void takeOver(Records found);
    void keepDocuments();

    std::string pathOf(const SnapshotKey& key) const;

    const SnapshotOptions m_options;
    const OwnerLists m_owners;

    mutable std::mutex m_mutex;  ///< guards everything below
    Records m_records;
    uint64_t m_totalBytes = 0;
    int64_t m_seenNs = -1;          ///< the folder's time when its names were looked through; -1: not trusted
    uint64_t m_numWritten = 0;      ///< records, by this store
    uint64_t m_bytesSinceLook = 0;  ///< written by this store since all that is there was counted
    std::set<SnapshotKey> m_removed;  ///< since listRecords() began
    std::set<SnapshotKey> m_waiting;  ///< to be written
    uint64_t m_waitingBytes = 0;
    std::set<std::pair<SnapshotOwner, SnapshotKey>> m_noted;  ///< what this process has written down
    std::set<SnapshotKey> m_kept;                             ///< what documents need
    std::deque<Task> m_tasks;
    bool m_busy = false;
    bool m_stop = false;
    std::condition_variable m_changed;
    std::thread m_worker;
};

}  // namespace ingle::session
