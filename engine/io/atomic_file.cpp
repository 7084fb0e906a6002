#include "engine/io/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

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

}  // namespace

Result<std::unique_ptr<AtomicFile>> AtomicFile::create(const std::string& path, Access access) {
    mustNotPaint("The file writer");
    static std::atomic<uint32_t> counter{0};
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return fail(ErrorCode::Io, "{}: not a regular file, so it is not replaced", path);
    std::string temporaryPath = fmt::format("{}.part-{}-{}", path, ::getpid(), counter++);
    // Not mkstemp: that would make the finished file unreadable for others whatever the umask says.
    FileDescriptor file(::open(temporaryPath.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                               access == Access::Private ? 0600 : 0666));
    if (!file.isOpen()) return fail(ErrorCode::Io, "{}: cannot be written: {}", path, std::strerror(errno));
    return std::unique_ptr<AtomicFile>(new AtomicFile(path, std::move(temporaryPath), std::move(file)));
}

AtomicFile::~AtomicFile() {
    if (!m_temporaryPath.empty()) ::unlink(m_temporaryPath.c_str());
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0)
            return fail(ErrorCode::Io, "{}: writing failed after {} bytes: {}", m_path, m_bytesWritten,
                        std::strerror(errno));
        bytes = bytes.subspan(static_cast<size_t>(written));
        m_bytesWritten += static_cast<uint64_t>(written);
    }
    return {};
}

Status AtomicFile::commit(Durability durability) {
    const bool flush = durability == Durability::Flushed;
    if (flush && ::fsync(m_file.get()) != 0)
        return fail(ErrorCode::Io, "{}: cannot flush to disk: {}", m_path, std::strerror(errno));
    if (::rename(m_temporaryPath.c_str(), m_path.c_str()) != 0)
        return fail(ErrorCode::Io, "{}: cannot be replaced: {}", m_path, std::strerror(errno));
    m_temporaryPath.clear();
    return flush ? syncFolderOf(m_path) : Status();
}

}  // namespace ingle::io
