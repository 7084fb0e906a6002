#include "engine/session/snapshots/snapshot_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>

namespace ingle::session {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".snap";
/// Where the lists of what each owner needs lie, in order of OwnerKind.
constexpr std::array kOwnerFolders{"conversations", "documents"};
/// What may wait in memory for a slow disk.
constexpr uint64_t kMaxWaitingBytes = uint64_t{256} << 20;

int64_t nowNs() {
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::optional<SnapshotKey> keyOf(std::string_view fileName) {
    if (fileName.size() != 32 + kSuffix.size() || !fileName.ends_with(kSuffix)) return std::nullopt;
    SnapshotKey key;
    for (size_t word = 0; word < 2; ++word) {
        const char* begin = fileName.data() + word * 16;
        const auto parsed = std::from_chars(begin, begin + 16, key.words[word], 16);
        if (parsed.ec != std::errc{} || parsed.ptr != begin + 16) return std::nullopt;
    }
    return key;
}

bool isOwnerName(std::string_view name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_';
    };
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, allowed);
}

/// Adds the keys that a list names.
void readList(const fs::path& path, std::set<SnapshotKey>& keys) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (const auto key = keyOf(line + std::string(kSuffix))) keys.insert(*key);
    }
}

/// The conversations are private.
Status makeFolder(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (!error) fs::permissions(path, fs::perms::owner_all, error);
    if (error) return fail(ErrorCode::Io, "{}: cannot be made: {}", path, error.message());
    return {};
}

}  // namespace

Result<std::shared_ptr<SnapshotStore>> SnapshotStore::open(const SnapshotOptions& options) {
    std::shared_ptr<SnapshotStore> store(new SnapshotStore(options));
    INGLE_TRY(makeFolder(options.folder));
    for (const char* owners : kOwnerFolders)
        INGLE_TRY(makeFolder(fmt::format("{}/{}", options.folder, owners)));
    INGLE_TRY(store->readFolder());
    store->forEachOwner([&](OwnerKind kind, const fs::path& path) {
        if (kind == OwnerKind::Document) readList(path, store->m_kept);
    });
    store->m_worker = std::thread([raw = store.get()] { raw->workerMain(); });
    store->enqueue([raw = store.get()] { raw->evict(); });
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

Status SnapshotStore::readFolder() {
    std::error_code error;
    for (fs::directory_iterator entry(m_options.folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        struct stat status {};
        if (::stat(entry->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if (const auto key = keyOf(name)) {
            const auto bytes = static_cast<uint64_t>(status.st_size);
            m_records[*key] = {bytes,
                               int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
            m_totalBytes += bytes;
        } else if (name.find(fmt::format("{}.part-", kSuffix)) != std::string::npos) {
            std::error_code ignored;
            fs::remove(entry->path(), ignored);  // a process ended while it was writing
        }
    }
    if (error) return fail(ErrorCode::Io, "{}: cannot be read: {}", m_options.folder, error.message());
    return {};
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
        ::utimensat(AT_FDCWD, pathOf(key).c_str(), nullptr,
                    0);  // for the next start; failing costs the order
    }
    return state;
}

void SnapshotStore::write(const SnapshotKey& key, const SnapshotOwner& owner,
                          const std::function<Result<backend::SavedState>()>& state) {
    if (!isOwnerName(owner.name)) return;
    std::unique_lock lock(m_mutex);
    const bool known = m_records.contains(key) || m_waiting.contains(key);
    if (!known && m_waitingBytes > kMaxWaitingBytes) return;
    const bool noted = !m_noted.emplace(ownerPath(owner), key).second;
    if (owner.kind == OwnerKind::Document) m_kept.insert(key);
    if (known && noted) return;
    lock.unlock();
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
        if (!contains(later) || othersNeed(earlier, owner)) return;
        const std::scoped_lock lock(m_mutex);
        remove(earlier);
    });
}

void SnapshotStore::retain(std::vector<std::string> conversations, std::vector<std::string> documents) {
    std::set<std::string> paths;
    for (std::string& name : conversations)
        paths.insert(ownerPath({OwnerKind::Conversation, std::move(name)}));
    for (std::string& name : documents) paths.insert(ownerPath({OwnerKind::Document, std::move(name)}));
    enqueue([this, paths = std::move(paths)] { removeUnneeded(paths); });
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

void SnapshotStore::writeRecord(const SnapshotKey& key, const backend::SavedState& state) {
    const std::string path = pathOf(key);
    if (!writeSnapshot(path, key, state)) return;  // a full disk costs a later re-read
    std::error_code error;
    const uint64_t bytes = fs::file_size(path, error);
    if (error) return;
    {
        const std::scoped_lock lock(m_mutex);
        m_records[key] = {bytes, nowNs()};
        m_totalBytes += bytes;
    }
    evict();
}

uint64_t SnapshotStore::evictableBytes() const {
    uint64_t bytes = m_totalBytes;
    for (const SnapshotKey& key : m_kept) {
        const auto record = m_records.find(key);
        if (record != m_records.end()) bytes -= record->second.bytes;
    }
    return bytes;
}

void SnapshotStore::evict() {
    const std::scoped_lock lock(m_mutex);
    if (m_totalBytes <= m_options.maxBytes) return;
    const auto lastUse = [&](const auto& entry) {
        return m_kept.contains(entry.first) ? std::numeric_limits<int64_t>::max() : entry.second.usedNs;
    };
    while (evictableBytes() > m_options.maxBytes)
        remove(std::ranges::min_element(m_records, {}, lastUse)->first);
}

void SnapshotStore::remove(const SnapshotKey& key) {
    const auto record = m_records.find(key);
    if (record == m_records.end()) return;
    std::error_code ignored;
    fs::remove(pathOf(key), ignored);
    m_totalBytes -= record->second.bytes;
    m_records.erase(record);
}

void SnapshotStore::noteOwner(const SnapshotKey& key, const SnapshotOwner& owner) {
    const std::string path = ownerPath(owner);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) return;  // not ours, and a pipe would wait
    std::ofstream(path, std::ios::app) << key.hex() << '\n';
}

void SnapshotStore::forEachOwner(const std::function<void(OwnerKind, const fs::path&)>& visit) const {
    for (size_t kind = 0; kind < kOwnerFolders.size(); ++kind) {
        std::error_code error;
        for (fs::directory_iterator entry(fmt::format("{}/{}", m_options.folder, kOwnerFolders[kind]), error),
             end;
             !error && entry != end; entry.increment(error)) {
            if (entry->is_regular_file(error))
                visit(static_cast<OwnerKind>(kind), entry->path());  // else not ours
        }
    }
}

bool SnapshotStore::othersNeed(const SnapshotKey& key, const SnapshotOwner& owner) const {
    const std::string own = ownerPath(owner);
    std::set<SnapshotKey> needed;
    forEachOwner([&](OwnerKind, const fs::path& path) {
        if (path != own) readList(path, needed);
    });
    return needed.contains(key);
}

void SnapshotStore::removeUnneeded(const std::set<std::string>& ownerPaths) {
    std::set<SnapshotKey> needed, kept;
    forEachOwner([&](OwnerKind kind, const fs::path& path) {
        if (ownerPaths.contains(path.string())) {
            readList(path, needed);
            if (kind == OwnerKind::Document) readList(path, kept);
        } else {
            std::error_code ignored;
            fs::remove(path, ignored);
        }
    });
    const std::scoped_lock lock(m_mutex);
    m_kept = std::move(kept);
    for (auto next = m_records.begin(); next != m_records.end();) {
        const SnapshotKey key = (next++)->first;
        if (!needed.contains(key)) remove(key);
    }
    std::erase_if(m_noted, [&](const auto& note) { return !ownerPaths.contains(note.first); });
}

std::string SnapshotStore::pathOf(const SnapshotKey& key) const {
    return fmt::format("{}/{}{}", m_options.folder, key.hex(), kSuffix);
}

std::string SnapshotStore::ownerPath(const SnapshotOwner& owner) const {
    return fmt::format("{}/{}/{}", m_options.folder, kOwnerFolders[static_cast<size_t>(owner.kind)],
                       owner.name);
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
