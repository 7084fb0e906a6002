#include "engine/io/source.h"
#include "ingle/error_ids.h"
#include "ingle/paint_thread.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace ingle::io {
namespace {

/// O_NONBLOCK: opening a FIFO must not wait for a writer.
constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

tl::unexpected<Error> refused(const std::string& path, int number) {
    return withFileId(fail(ErrorCode::Io, "{}: {}", path, std::strerror(number)), number, path);
}

}  // namespace

Result<Source> Source::opened(std::string path, std::shared_ptr<const FileDescriptor> folder,
                              FileDescriptor file, Kind kind) {
    struct stat info {};
    if (!file.isOpen() || ::fstat(file.get(), &info) != 0) return refused(path, errno);
    const bool isFolder = S_ISDIR(info.st_mode) && kind == Kind::FileOrFolder;
    if (!S_ISREG(info.st_mode) && !isFolder)
        return withId<ErrorId::NotAModel>(fail(ErrorCode::Io, "{}: not a regular file", path), path);
    const auto shared = std::make_shared<const FileDescriptor>(std::move(file));
    return Source(std::move(path), isFolder ? shared : std::move(folder), shared);
}

Result<Source> Source::open(const std::string& path) {
    mustNotPaint("The file reader");
    INGLE_TRY_ASSIGN(Source source, opened(path, nullptr, FileDescriptor(::open(path.c_str(), kReading)),
                                           Kind::FileOrFolder));
    if (source.isFolder()) return source;
    const std::string folder = std::filesystem::path(path).parent_path().string();
    // O_PATH: the folder may be one whose files can be read, but not listed.
    FileDescriptor handle(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!handle.isOpen()) return refused(folder, errno);
    source.m_folder = std::make_shared<const FileDescriptor>(std::move(handle));
    return source;
}

std::string Source::name() const {
    const std::filesystem::path path(m_path);
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Result<std::string> Source::pathOf(std::string_view name) const {
    constexpr std::string_view kSeparators("/\0", 2);
    if (name.empty() || name == "." || name == ".." || name.find_first_of(kSeparators) != name.npos)
        return fail(ErrorCode::InvalidArgument, "{}: '{}' is not the name of a file beside it", m_path,
                    shown(name));
    const std::filesystem::path path(m_path);
    return ((isFolder() ? path : path.parent_path()) / name).string();
}

Result<Source> Source::sibling(std::string_view name) const {
    INGLE_TRY_ASSIGN(std::string path, pathOf(name));
    return opened(std::move(path), m_folder,
                  FileDescriptor(::openat(m_folder->get(), std::string(name).c_str(), kReading)), Kind::File);
}

Result<std::optional<Source>> Source::findSibling(std::string_view name) const {
    INGLE_TRY(pathOf(name));
    const bool isThere = ::faccessat(m_folder->get(), std::string(name).c_str(), F_OK, 0) == 0;
    if (!isThere && errno == ENOENT) return std::nullopt;
    return sibling(name);
}

}  // namespace ingle::io
