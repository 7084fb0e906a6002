#include "engine/session/snapshots/snapshot_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace ingle::session {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".snap";
/// In the names of files that io::AtomicFile has not finished.
constexpr std::string_view kUnfinished = ".snap.part-";
/// What may wait in memory for a slow disk.
constexpr uint64_t kMaxWaitingBytes = uint64_t{256} << 20;
/// Of the limit: how much one process writes before it looks at what others wrote, and how far below the
/// limit eviction goes, so that not every record at the limit costs a look.
constexpr uint64_t kLookShare = 64;
/// Between two tries for the folder's lock. A record takes some of these to be written.
constexpr std::chrono::milliseconds kLockPause{1};
/// Times of files go in steps (of up to 10 ms on Linux's own file systems): a folder that was changed this
/// short a time ago may change again without showing it.
constexpr int64_t kTimeStepNs = 20'000'000;

int64_t nowNs() {
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

int64_t modifiedNs(const struct stat& status) {
    return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

std::optional<SnapshotKey> keyOf(std::string_view fileName) {
    if (!fileName.ends_with(kSuffix)) return std::nullopt;
    return keyFromHex(fileName.substr(0, fileName.size() - kSuffix.size()));
}

}  // namespace

Result<std::shared_ptr<SnapshotStore>> SnapshotStore::open(const SnapshotOptions& options) {
    std::shared_ptr<SnapshotStore> store(new SnapshotStore(options));
    INGLE_TRY(store->m_owners.makeFolders());
    INGLE_TRY_ASSIGN(Records found, store->listRecords());
    store->takeOver(std::move(found));
    store->m_kept = store->m_owners.neededByDocuments();
    store->m_worker = std::thread([raw = store.get()] { raw->workerMain(); });
    store->enqueue([raw = store.get()] {
        const auto lock = raw->lockFolder();
        if (!lock) return;
        raw->removeUnfinished(*lock);
        raw->evict(*lock);
    });
    return store;
}

SnapshotStore::~SnapshotStore() {
    {
        const std::scoped_lock lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    if (m_worker.joinable()) m_worker.join();
}

std::optional<SnapshotStore::Record> SnapshotStore::recordOnDisk(const SnapshotKey& key) const {
    struct stat status {};
    if (::stat(pathOf(key).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return Record{static_cast<uint64_t>(status.st_size), modifiedNs(status)};
}

Result<SnapshotStore::Records> SnapshotStore::listRecords() {
    {
        const std::scoped_lock lock(m_mutex);
        m_removed.clear();
    }
    Records found;
    std::error_code error;
    for (fs::directory_iterator entry(m_options.folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const auto key = keyOf(entry->path().filename().string());
        const auto record = key ? recordOnDisk(*key) : std::nullopt;
        if (record) found.emplace(*key, *record);
    }
    if (error) return fail(ErrorCode::Io, "{}: cannot be read: {}", m_options.folder, error.message());
    return found;
}

void SnapshotStore::removeUnfinished(const FolderLock& lock) const {
    if (!lock.excludesOthers()) return;  // somebody may be writing just that
    std::error_code error;
    std::vector<fs::path> left;
    for (fs::directory_iterator entry(m_options.folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().filename().string().find(kUnfinished) != std::string::npos)
            left.push_back(entry->path());
    }
    for (const fs::path& path : left) fs::remove(path, error);
}

void SnapshotStore::refresh() {
    struct stat status {};
    if (::stat(m_options.folder.c_str(), &status) != 0) return;
    const int64_t changedNs = modifiedNs(status);
    uint64_t numWritten = 0;
    {
        const std::scoped_lock lock(m_mutex);
        if (changedNs == m_seenNs) return;
        numWritten = m_numWritten;
    }
    std::set<SnapshotKey> names;
    std::error_code error;
    for (fs::directory_iterator entry(m_options.folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (const auto key = keyOf(entry->path().filename().string())) names.insert(*key);
    }
    if (error) return;
    const std::scoped_lock lock(m_mutex);
    for (const SnapshotKey& key : names) {
        if (m_records.contains(key)) continue;
        if (const auto record = recordOnDisk(key)) insert(key, *record);
    }
    // What this store wrote meanwhile may not have been among the names.
    if (numWritten == m_numWritten) {
        for (auto next = m_records.begin(); next != m_records.end();) {
            const auto record = next++;
            if (!names.contains(record->first)) erase(record);
        }
    }
    const bool isTrusted = numWritten == m_numWritten && nowNs() - changedNs > kTimeStepNs;
    m_seenNs = isTrusted ? changedNs : -1;
}

bool SnapshotStore::contains(const SnapshotKey& key) const {
    const std::scoped_lock lock(m_mutex);
    return m_records.contains(key);
}

uint64_t SnapshotStore::totalBytes() const {
    const std::scoped_lock lock(m_mutex);
    return m_totalBytes;
}

Result<backend::SavedState> SnapshotStore::read(const SnapshotKey& key, KvType kv, backend::TokenRange range,
                                                uint64_t stateBytes) {
    auto state = readSnapshot(pathOf(key), key, kv, range, stateBytes);
    const std::scoped_lock lock(m_mutex);
    if (!state) {
        remove(key);
        return state;
    }
    const auto record = m_records.find(key);
    if (record != m_records.end()) {
        record->second.usedNs = nowNs();
        // For others and the next start; failing costs the order. By descriptor: a caged process changes no
        // times of files by their names.
        const FileDescriptor file(::open(pathOf(key).c_str(), O_RDONLY | O_CLOEXEC));
        ::futimens(file.get(), nullptr);
    }
    return state;
}

void SnapshotStore::write(const SnapshotKey& key, const SnapshotOwner& owner,
                          const std::function<Result<backend::SavedState>()>& state) {
    if (!isOwnerName(owner.name)) return;
    std::unique_lock lock(m_mutex);
    const bool known = m_records.contains(key) || m_waiting.contains(key);
    if (!known && m_waitingBytes > kMaxWaitingBytes) return;
    const bool noted = !m_noted.emplace(owner, key).second;
    if (owner.kind == OwnerKind::Document) m_kept.insert(key);
    if (known && noted) return;
    lock.unlock();
    // The note first: a record without one goes with the next retain() of whatever process.
    if (!noted) enqueue([this, key, owner] { noteOwner(key, owner); });
    if (known) return;
    auto saved = state();
    if (!saved) return;
    const uint64_t bytes = saved->bytes.size();
    lock.lock();
    m_waiting.insert(key);
    m_waitingBytes += bytes;
    lock.unlock();
    enqueue([this, key, bytes, saved = std::make_shared<backend::SavedState>(std::move(*saved))] {
        writeRecord(key, *saved);
        const std::scoped_lock again(m_mutex);
        m_waiting.erase(key);
        m_waitingBytes -= bytes;
    });
}

void SnapshotStore::replace(const SnapshotKey& earlier, const SnapshotKey& later,
                            const SnapshotOwner& owner) {
    enqueue([this, earlier, later, owner] {
        const auto folderLock = lockFolder();
        if (!folderLock || !recordOnDisk(later) || m_owners.needed(&owner).contains(earlier)) return;
        const std::scoped_lock lock(m_mutex);
        remove(earlier);
    });
}

void SnapshotStore::retain(std::vector<std::string> conversations, std::vector<std::string> documents) {
    std::set<SnapshotOwner> owners;
    for (std::string& name : conversations) owners.insert({OwnerKind::Conversation, std::move(name)});
    for (std::string& name : documents) owners.insert({OwnerKind::Document, std::move(name)});
    enqueue([this, owners = std::move(owners)] { removeUnneeded(owners); });
}

void SnapshotStore::waitUntilWritten() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_tasks.empty() && !m_busy; });
}

void SnapshotStore::enqueue(Task task) {
    {
        const std::scoped_lock lock(m_mutex);
        m_tasks.push_back(std::move(task));
    }
    m_changed.notify_all();
}

void SnapshotStore::workerMain() {
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [&] { return m_stop || !m_tasks.empty(); });
        if (m_stop) return;
        const Task task = std::move(m_tasks.front());
        m_tasks.pop_front();
        m_busy = true;
        lock.unlock();
        task();
        lock.lock();
        m_busy = false;
        m_changed.notify_all();
    }
}

std::optional<FolderLock> SnapshotStore::lockFolder() {
    return FolderLock::acquire(m_options.folder, [this] {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, kLockPause, [&] { return m_stop; });
    });
}

void SnapshotStore::writeRecord(const SnapshotKey& key, const backend::SavedState& state) {
    const auto folderLock = lockFolder();
    if (!folderLock) return;
    auto record = recordOnDisk(key);  // another process may have written the same
    const bool isNew = !record;
    if (isNew) {
        if (!writeSnapshot(pathOf(key), key, state)) return;  // a full disk costs a later re-read
        record = recordOnDisk(key);
        if (!record) return;
    }
    {
        const std::scoped_lock lock(m_mutex);
        insert(key, {record->bytes, nowNs()});
        ++m_numWritten;
        if (isNew) m_bytesSinceLook += record->bytes;
        if (m_totalBytes <= m_options.maxBytes && m_bytesSinceLook <= m_options.maxBytes / kLookShare) return;
    }
    evict(*folderLock);
}

void SnapshotStore::evict(const FolderLock&) {
    auto found = listRecords();
    if (!found) return;
    std::set<SnapshotKey> documents = m_owners.neededByDocuments();
    const std::scoped_lock lock(m_mutex);
    takeOver(std::move(*found));
    m_kept = std::move(documents);
    keepDocuments();
    std::vector<std::pair<int64_t, SnapshotKey>> evictable;
    uint64_t bytes = 0;
    for (const auto& [key, record] : m_records) {
        if (m_kept.contains(key)) continue;
        evictable.emplace_back(record.usedNs, key);
        bytes += record.bytes;
    }
    if (bytes <= m_options.maxBytes) return;
    std::ranges::sort(evictable);
    for (const auto& [usedNs, key] : evictable) {
        if (bytes <= m_options.maxBytes - m_options.maxBytes / kLookShare) break;
        bytes -= m_records[key].bytes;
        remove(key);
    }
}

void SnapshotStore::noteOwner(const SnapshotKey& key, const SnapshotOwner& owner) {
    // Not between another one's reading of the lists and its removing of records.
    if (lockFolder()) m_owners.note(key, owner);
}

void SnapshotStore::removeUnneeded(const std::set<SnapshotOwner>& owners) {
    const auto folderLock = lockFolder();
    if (!folderLock) return;
    // Before the lists: where there are no locks, a record that is seen here has its note by then.
    auto found = listRecords();
    m_owners.retain(owners);
    const std::set<SnapshotKey> needed = m_owners.needed();
    std::set<SnapshotKey> documents = m_owners.neededByDocuments();
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_noted, [&](const auto& note) { return !owners.contains(note.first); });
    m_kept = std::move(documents);
    keepDocuments();
    if (found) takeOver(std::move(*found));
    for (auto next = m_records.begin(); next != m_records.end();) {
        const SnapshotKey key = (next++)->first;
        if (!needed.contains(key)) remove(key);
    }
}

void SnapshotStore::insert(const SnapshotKey& key, const Record& record) {
    m_removed.erase(key);
    Record& known = m_records[key];
    m_totalBytes += record.bytes - known.bytes;
    known = record;
}

void SnapshotStore::erase(Records::iterator record) {
    m_totalBytes -= record->second.bytes;
    m_records.erase(record);
}

void SnapshotStore::remove(const SnapshotKey& key) {
    const auto record = m_records.find(key);
    if (record == m_records.end()) return;
    std::error_code ignored;
    fs::remove(pathOf(key), ignored);
    m_removed.insert(key);
    erase(record);
}

/// In place of what was known. This process's own last use may be later than the files' times say; and a
/// damaged record may have been removed while the folder was listed.
void SnapshotStore::takeOver(Records found) {
    std::erase_if(found, [this](const auto& record) { return m_removed.contains(record.first); });
    m_totalBytes = 0;
    for (auto& [key, record] : found) {
        const auto known = m_records.find(key);
        if (known != m_records.end()) record.usedNs = std::max(record.usedNs, known->second.usedNs);
        m_totalBytes += record.bytes;
    }
    m_records = std::move(found);
    m_bytesSinceLook = 0;
}

/// What is noted here may not have reached the lists yet.
void SnapshotStore::keepDocuments() {
    for (const auto& [owner, key] : m_noted) {
        if (owner.kind == OwnerKind::Document) m_kept.insert(key);
    }
}

std::string SnapshotStore::pathOf(const SnapshotKey& key) const {
    return fmt::format("{}/{}{}", m_options.folder, key.hex(), kSuffix);
}

}  // namespace ingle::session

namespace ingle {

Result<Snapshots> Snapshots::open(const SnapshotOptions& options) {
    Snapshots snapshots;
    INGLE_TRY_ASSIGN(snapshots.m_store, session::SnapshotStore::open(options));
    return snapshots;
}

void Snapshots::retain(std::vector<std::string> conversations, std::vector<std::string> documents) const {
    if (m_store) m_store->retain(std::move(conversations), std::move(documents));
}

void Snapshots::waitUntilWritten() const {
    if (m_store) m_store->waitUntilWritten();
}

}  // namespace ingle
