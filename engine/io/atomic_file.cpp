#include "engine/io/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "ingle/error_ids.h"
#include "ingle/paint_thread.h"

namespace ingle::io {
namespace {

/// The rename itself is only durable once the folder is. Some file systems cannot sync folders and say
/// EINVAL.
Status syncFolderOf(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const FileDescriptor handle(
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!handle.isOpen() || (::fsync(handle.get()) != 0 && errno != EINVAL))
        return fail(ErrorCode::Io, "{}: cannot flush the folder: {}", path, std::strerror(errno));
    return {};
}

/// By which the system knows an open file that has no name.
std::string ownName(const FileDescriptor& file) {
    return fmt::format("/proc/self/fd/{}", file.get());
}

}  // namespace

Result<std::unique_ptr<AtomicFile>> AtomicFile::create(const std::string& path, Access access) {
    mustNotPaint("The file writer");
    static std::atomic<uint32_t> counter{0};
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return fail(ErrorCode::Io, "{}: not a regular file, so it is not replaced", path);
    const mode_t mode = access == Access::Private ? 0600 : 0666;
    const std::string name = fmt::format("{}.part-{}-{}", path, ::getpid(), counter++);
    const std::string folder = std::filesystem::path(path).parent_path().string();
    FileDescriptor nameless(
        ::open(folder.empty() ? "." : folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode));
    if (nameless.isOpen() && ::access(ownName(nameless).c_str(), F_OK) == 0) {
        std::unique_ptr<AtomicFile> file(new AtomicFile(path, std::move(nameless)));
        file->m_nameToBe = name;
        return file;
    }
    // Not mkstemp: that would make the finished file unreadable for others whatever the umask says.
    FileDescriptor named(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!named.isOpen()) return fail(ErrorCode::Io, "{}: cannot be written: {}", path, std::strerror(errno));
    std::unique_ptr<AtomicFile> file(new AtomicFile(path, std::move(named)));
    file->m_temporaryPath = name;
    return file;
}

AtomicFile::~AtomicFile() {
    if (!m_temporaryPath.empty()) ::unlink(m_temporaryPath.c_str());
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const bool isFull = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
            auto failed = fail(ErrorCode::Io, "{}: writing failed after {} bytes: {}", m_path, m_bytesWritten,
                               std::strerror(errno));
            if (isFull) return withId<ErrorId::DiskFull>(std::move(failed));
            return failed;
        }
        bytes = bytes.subspan(static_cast<size_t>(written));
        m_bytesWritten += static_cast<uint64_t>(written);
    }
    return {};
}

Status AtomicFile::commit(Durability durability) {
    const bool flush = durability == Durability::Flushed;
    if (flush && ::fsync(m_file.get()) != 0)
        return fail(ErrorCode::Io, "{}: cannot flush to disk: {}", m_path, std::strerror(errno));
    if (m_temporaryPath.empty()) {
        // A link cannot take the place of a file that is there: it gets a name first.
        if (::linkat(AT_FDCWD, ownName(m_file).c_str(), AT_FDCWD, m_nameToBe.c_str(), AT_SYMLINK_FOLLOW) != 0)
            return fail(ErrorCode::Io, "{}: cannot be written: {}", m_path, std::strerror(errno));
        m_temporaryPath = m_nameToBe;
    }
    if (::rename(m_temporaryPath.c_str(), m_path.c_str()) != 0)
        return fail(ErrorCode::Io, "{}: cannot be replaced: {}", m_path, std::strerror(errno));
    m_temporaryPath.clear();
    return flush ? syncFolderOf(m_path) : Status();
}

}  // namespace ingle::io
