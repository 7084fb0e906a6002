#include "engine/io/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "ingle/error_ids.h"
#include "ingle/paint_thread.h"

namespace ingle::io {
namespace {

FileMaker* theMaker = nullptr;

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

tl::unexpected<Error> existsAlready(const std::string& path) {
    return fail(ErrorCode::Io, "{}: is there already, and was to be kept", path);
}

/// By errno.
tl::unexpected<Error> cannotTakeName(const std::string& path, std::string_view what) {
    if (errno == EEXIST) return existsAlready(path);
    return fail(ErrorCode::Io, "{}: {}: {}", path, what, std::strerror(errno));
}

/// By which the system knows an open file that has no name.
std::string ownName(const FileDescriptor& file) {
    return fmt::format("/proc/self/fd/{}", file.get());
}

}  // namespace

void useFileMaker(FileMaker* maker) {
    theMaker = maker;
}

Result<std::unique_ptr<AtomicFile>> AtomicFile::create(const std::string& path, Access access,
                                                       Existing existing) {
    mustNotPaint("The file writer");
    static std::atomic<uint32_t> counter{0};
    std::error_code ignored;
    if (existing == Existing::Kept && std::filesystem::exists(std::filesystem::symlink_status(path, ignored)))
        return existsAlready(path);
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return fail(ErrorCode::Io, "{}: not a regular file, so it is not replaced", path);
    const mode_t mode = access == Access::Private ? 0600 : 0666;
    const std::string name = fmt::format("{}.part-{}-{}", path, ::getpid(), counter++);
    const std::string folder = std::filesystem::path(path).parent_path().string();
    FileDescriptor nameless(
        ::open(folder.empty() ? "." : folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode));
    if (nameless.isOpen() && ::access(ownName(nameless).c_str(), F_OK) == 0) {
        std::unique_ptr<AtomicFile> file(new AtomicFile(path, std::move(nameless), existing));
        file->m_nameToBe = name;
        return file;
    }
    // Not mkstemp: that would make the finished file unreadable for others whatever the umask says.
    FileDescriptor named(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!named.isOpen() && errno == EACCES && theMaker != nullptr) {
        INGLE_TRY_ASSIGN(auto made, theMaker->make(path, access, existing));
        std::unique_ptr<AtomicFile> file(new AtomicFile(path, std::move(made.file), existing));
        file->m_made = std::move(made.id);
        return file;
    }
    if (!named.isOpen()) return fail(ErrorCode::Io, "{}: cannot be written: {}", path, std::strerror(errno));
    std::unique_ptr<AtomicFile> file(new AtomicFile(path, std::move(named), existing));
    file->m_temporaryPath = name;
    return file;
}

AtomicFile::~AtomicFile() {
    if (!m_temporaryPath.empty()) ::unlink(m_temporaryPath.c_str());
    if (!m_made.empty()) theMaker->drop(m_made);
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

Status AtomicFile::takeName() {
    if (m_temporaryPath.empty()) {
        // A link takes no other file's place: where that is wanted the file gets another name first.
        const std::string& name = m_existing == Existing::Kept ? m_path : m_nameToBe;
        if (::linkat(AT_FDCWD, ownName(m_file).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
            return cannotTakeName(m_path, "cannot be written");
        if (m_existing == Existing::Kept) return {};
        m_temporaryPath = m_nameToBe;
    }
    if (m_existing == Existing::Replaced) {
        if (::rename(m_temporaryPath.c_str(), m_path.c_str()) != 0)
            return cannotTakeName(m_path, "cannot be replaced");
    } else if (::renameat2(AT_FDCWD, m_temporaryPath.c_str(), AT_FDCWD, m_path.c_str(), RENAME_NOREPLACE) !=
               0) {
        // Some file systems do not know that flag; most of them know links.
        if (errno != EINVAL || ::link(m_temporaryPath.c_str(), m_path.c_str()) != 0)
            return cannotTakeName(m_path, "cannot be written");
        ::unlink(m_temporaryPath.c_str());
    }
    m_temporaryPath.clear();
    return {};
}

Status AtomicFile::commit(Durability durability) {
    if (!m_made.empty()) return theMaker->keep(std::exchange(m_made, {}), durability);
    const bool flush = durability == Durability::Flushed;
    if (flush && ::fsync(m_file.get()) != 0)
        return fail(ErrorCode::Io, "{}: cannot flush to disk: {}", m_path, std::strerror(errno));
    INGLE_TRY(takeName());
    return flush ? syncFolderOf(m_path) : Status();
}

}  // namespace ingle::io
