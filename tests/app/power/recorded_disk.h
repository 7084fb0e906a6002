/// A disk that remembers in which order files of a folder were written and flushed, and what a power cut
/// between any two of these leaves of them.
///
/// Flushed bytes stay. Of bytes that were not, each sector is written or not, in any order. Names of files
/// change in their order, as journals of file systems do it, and are safe once their folder was flushed.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ingle::test {

struct DiskChange {
    enum class Kind { Write, Resize, Flush, Name, FlushFolder, Told };

    Kind kind = Kind::Told;
    std::chrono::steady_clock::time_point when;
    uint64_t file = 0;    ///< 0 as that of a name: there is none any more
    uint64_t offset = 0;  ///< or the new size; of Told its number
    std::string bytes;
    std::string name;  ///< of a file or folder; of Told what was told
};

/// What the functions of the system that write, below, have been seen to do. Any thread.
class RecordedDisk {
  public:
    static RecordedDisk& get() {
        static RecordedDisk disk;
        return disk;
    }
    /// From an empty folder on.
    void record(const std::string& folder) {
        const std::scoped_lock lock(m_mutex);
        m_changes.clear();
        m_files.clear();
        m_folder = folder + "/";
    }
    std::vector<DiskChange> stop() {
        const std::scoped_lock lock(m_mutex);
        m_folder.clear();
        return std::move(m_changes);
    }
    /// The program was told that something is kept.
    void tell(const std::string& what, uint64_t number = 0) {
        add({.kind = DiskChange::Kind::Told,
             .when = {},
             .file = 0,
             .offset = number,
             .bytes = {},
             .name = what});
    }

    bool isRecorded(std::string_view path) const { return !m_folder.empty() && path.starts_with(m_folder); }
    void made(int fd, const std::string& path) {
        struct stat facts {};
        if (::fstat(fd, &facts) != 0) return;
        {
            const std::scoped_lock lock(m_mutex);
            m_files[facts.st_ino] = ++m_lastFile;
        }
        if (!path.empty()) named(path, fileOf(fd));
    }
    void named(const std::string& path, uint64_t file) {
        add({.kind = DiskChange::Kind::Name,
             .when = {},
             .file = file,
             .offset = 0,
             .bytes = {},
             .name = path});
    }
    void written(int fd, const void* bytes, size_t count, off_t offset) {
        if (const uint64_t file = fileOf(fd))
            add({.kind = DiskChange::Kind::Write,
                 .when = {},
                 .file = file,
                 .offset = static_cast<uint64_t>(offset),
                 .bytes = std::string(static_cast<const char*>(bytes), count),
                 .name = {}});
    }
    void resized(int fd, off_t size) {
        if (const uint64_t file = fileOf(fd))
            add({.kind = DiskChange::Kind::Resize,
                 .when = {},
                 .file = file,
                 .offset = static_cast<uint64_t>(size),
                 .bytes = {},
                 .name = {}});
    }
    void flushed(int fd) {
        struct stat facts {};
        if (::fstat(fd, &facts) != 0) return;
        if (S_ISDIR(facts.st_mode)) {
            std::error_code ignored;
            const std::string path =
                std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored).string();
            if (isRecorded(path + "/"))
                add({.kind = DiskChange::Kind::FlushFolder,
                     .when = {},
                     .file = 0,
                     .offset = 0,
                     .bytes = {},
                     .name = path});
        } else if (const uint64_t file = fileOf(fd)) {
            add({.kind = DiskChange::Kind::Flush,
                 .when = {},
                 .file = file,
                 .offset = 0,
                 .bytes = {},
                 .name = {}});
        }
    }
    uint64_t fileOf(int fd) {
        struct stat facts {};
        return ::fstat(fd, &facts) == 0 ? fileOf(facts) : 0;
    }
    /// Of a name, which may be one of an open file in /proc.
    uint64_t fileAt(const char* path) {
        struct stat facts {};
        return ::stat(path, &facts) == 0 ? fileOf(facts) : 0;
    }

  private:
    uint64_t fileOf(const struct stat& facts) {
        const std::scoped_lock lock(m_mutex);
        if (m_folder.empty()) return 0;
        const auto found = m_files.find(facts.st_ino);
        return found == m_files.end() ? 0 : found->second;
    }
    void add(DiskChange change) {
        change.when = std::chrono::steady_clock::now();
        const std::scoped_lock lock(m_mutex);
        if (!m_folder.empty()) m_changes.push_back(std::move(change));
    }

    std::mutex m_mutex;
    std::string m_folder;
    std::map<ino_t, uint64_t> m_files;
    uint64_t m_lastFile = 0;
    std::vector<DiskChange> m_changes;
};

/// Follows a record, and cuts the power where it stands.
class ReplayedDisk {
  public:
    explicit ReplayedDisk(std::vector<DiskChange> changes) : m_changes(std::move(changes)) {}

    size_t size() const { return m_changes.size(); }
    /// Does the changes before this one. Forwards only.
    void goTo(size_t place) {
        for (; m_place < place; ++m_place) apply(m_changes[m_place]);
    }
    /// The power may have been there until the next change.
    std::chrono::steady_clock::time_point whenCut() const {
        return m_changes[std::min(m_place, m_changes.size() - 1)].when;
    }
    const std::vector<DiskChange>& changes() const { return m_changes; }
    size_t place() const { return m_place; }

    /// Writes what is left of the files in `from` to the folder `to`.
    void cut(const std::string& from, const std::string& to, std::mt19937& random) const {
        namespace fs = std::filesystem;
        fs::remove_all(to);
        fs::create_directories(to);
        std::map<std::string, uint64_t> names;
        const size_t kept = m_safeNames + random() % (m_names.size() - m_safeNames + 1);
        for (size_t each = 0; each < kept; ++each) {
            if (m_names[each].file == 0)
                names.erase(m_names[each].name);
            else
                names[m_names[each].name] = m_names[each].file;
        }
        for (const auto& [name, file] : names) {
            if (name.ends_with("-shm")) continue;
            const fs::path target = fs::path(to) / fs::path(name).lexically_relative(from);
            fs::create_directories(target.parent_path());
            const std::string bytes = leftOf(file, random);
            std::ofstream(target, std::ios::binary)
                .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        }
    }

  private:
    static constexpr size_t kSector = 512;

    struct File {
        std::string safe;
        std::vector<const DiskChange*> pending;
    };

    static void put(std::string& bytes, uint64_t offset, std::string_view written) {
        if (bytes.size() < offset + written.size()) bytes.resize(offset + written.size());
        bytes.replace(offset, written.size(), written);
    }
    static void put(std::string& bytes, const DiskChange& change) {
        if (change.kind == DiskChange::Kind::Resize)
            bytes.resize(change.offset);
        else
            put(bytes, change.offset, change.bytes);
    }

    void apply(const DiskChange& change) {
        switch (change.kind) {
            case DiskChange::Kind::Write:
            case DiskChange::Kind::Resize:
                m_files[change.file].pending.push_back(&change);
                break;
            case DiskChange::Kind::Flush: {
                File& file = m_files[change.file];
                for (const DiskChange* each : file.pending) put(file.safe, *each);
                file.pending.clear();
                break;
            }
            case DiskChange::Kind::Name:
                m_names.push_back(change);
                break;
            case DiskChange::Kind::FlushFolder:
                for (size_t each = m_safeNames; each < m_names.size(); ++each) {
                    if (std::filesystem::path(m_names[each].name).parent_path() == change.name)
                        m_safeNames = each + 1;
                }
                break;
            default:
                break;
        }
    }
    std::string leftOf(uint64_t number, std::mt19937& random) const {
        const auto found = m_files.find(number);
        if (found == m_files.end()) return {};
        std::string bytes = found->second.safe;
        std::vector<const DiskChange*> pending = found->second.pending;
        const unsigned kind = random() % 4;
        if (kind == 0) return bytes;
        if (kind > 1) std::ranges::shuffle(pending, random);
        for (const DiskChange* each : pending) {
            if (kind == 1 || each->kind == DiskChange::Kind::Resize) {
                if (kind == 1 || random() % 2 == 0) put(bytes, *each);
                continue;
            }
            const std::string_view written = each->bytes;
            for (size_t at = 0; at < written.size();) {
                const size_t count = std::min(kSector - (each->offset + at) % kSector, written.size() - at);
                if (random() % 2 == 0) put(bytes, each->offset + at, written.substr(at, count));
                at += count;
            }
        }
        return bytes;
    }

    std::vector<DiskChange> m_changes;
    size_t m_place = 0;
    std::map<uint64_t, File> m_files;
    std::vector<DiskChange> m_names;
    size_t m_safeNames = 0;  ///< so many of them are flushed
};

}  // namespace ingle::test
