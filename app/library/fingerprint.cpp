/// Fingerprints of model files: cheap enough to take at every start.
#include <fcntl.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "app/library/library.h"
#include "ingle/file_descriptor.h"
#include "ingle/paint_thread.h"

namespace ingle::library {
namespace {

constexpr uint64_t kHashedBytes = 64 * 1024;  // at either end

/// Adds what stands there, or less at the end of the file. Errors: Io.
Status readRange(int fd, const std::string& path, uint64_t offset, uint64_t length, std::string& bytes) {
    const size_t begin = bytes.size();
    bytes.resize(begin + length);
    size_t end = begin;
    while (end < bytes.size()) {
        const ssize_t count =
            ::pread(fd, bytes.data() + end, bytes.size() - end, static_cast<off_t>(offset + (end - begin)));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(ErrorCode::Io, "Cannot read {}: {}.", path, std::strerror(errno));
        if (count == 0) break;
        end += static_cast<size_t>(count);
    }
    bytes.resize(end);
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
    std::string bytes;
    const uint64_t head = std::min(print.bytes, kHashedBytes);
    const uint64_t tail = std::min(print.bytes - head, kHashedBytes);
    INGLE_TRY(readRange(file.get(), path, 0, head, bytes));
    INGLE_TRY(readRange(file.get(), path, print.bytes - tail, tail, bytes));
    print.headHash = ::XXH3_64bits(bytes.data(), bytes.size());
    return print;
}

FileState checkFile(const ModelEntry& entry) {
    struct stat status {};
    if (::stat(entry.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return FileState::Missing;
    Fingerprint now = identity(status);
    if (now.bytes != entry.fingerprint.bytes) return FileState::Changed;
    now.headHash = entry.fingerprint.headHash;
    if (now == entry.fingerprint || entry.fingerprint.headHash == Fingerprint::kNoHash)
        return FileState::Same;
    const auto print = fingerprint(entry.path);
    if (!print) return FileState::Missing;
    return print->headHash == entry.fingerprint.headHash ? FileState::Same : FileState::Changed;
}

}  // namespace ingle::library
