/// Fingerprints of model files: cheap enough to take at every start.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "app/library/library.h"
#include "ingle/file_descriptor.h"
#include "ingle/paint_thread.h"

namespace ingle::library {
namespace {

constexpr uint64_t kHashedBytes = 64 * 1024;  // at either end

/// FNV-1a, 64 bits (Fowler, Noll, Vo). It tells files apart; it does not resist an attacker.
class Fnv1a {
  public:
    void add(std::string_view bytes) {
        for (const unsigned char byte : bytes) m_value = (m_value ^ byte) * 0x100000001b3u;
    }
    uint64_t value() const { return m_value; }

  private:
    uint64_t m_value = 0xcbf29ce484222325u;
};

Status hashRange(int fd, const std::string& path, uint64_t offset, uint64_t length, Fnv1a& hash) {
    char buffer[16 * 1024];
    while (length > 0) {
        const ssize_t count =
            ::pread(fd, buffer, std::min<uint64_t>(length, sizeof buffer), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(ErrorCode::Io, "Cannot read {}: {}.", path, std::strerror(errno));
        if (count == 0) break;
        hash.add({buffer, static_cast<size_t>(count)});
        offset += static_cast<uint64_t>(count);
        length -= static_cast<uint64_t>(count);
    }
    return {};
}

Fingerprint identity(const struct stat& status) {
    Fingerprint print;
    print.bytes = static_cast<uint64_t>(status.st_size);
    print.modifiedNs = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    print.device = status.st_dev;
    print.inode = status.st_ino;
    return print;
}

}  // namespace

Result<Fingerprint> fingerprint(const std::string& path) {
    mustNotPaint("The model library");
    // O_NONBLOCK: opening a named pipe must not wait for a writer.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
        return fail(ErrorCode::Io, "Cannot open {}: {}.", path, std::strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) return fail(ErrorCode::Io, "{} is not a regular file.", path);
    Fingerprint print = identity(status);
    Fnv1a hash;
    const uint64_t head = std::min(print.bytes, kHashedBytes);
    const uint64_t tail = std::min(print.bytes - head, kHashedBytes);
    INGLE_TRY(hashRange(file.get(), path, 0, head, hash));
    INGLE_TRY(hashRange(file.get(), path, print.bytes - tail, tail, hash));
    print.headHash = hash.value();
    return print;
}

FileState checkFile(const ModelEntry& entry) {
    struct stat status {};
    if (::stat(entry.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return FileState::Missing;
    Fingerprint now = identity(status);
    if (now.bytes != entry.fingerprint.bytes) return FileState::Changed;
    now.headHash = entry.fingerprint.headHash;
    if (now == entry.fingerprint) return FileState::Same;
    const auto print = fingerprint(entry.path);
    if (!print) return FileState::Missing;
    return print->headHash == entry.fingerprint.headHash ? FileState::Same : FileState::Changed;
}

}  // namespace ingle::library
