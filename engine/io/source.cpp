#include "engine/io/source.h"
#include "ingle/error_ids.h"
#include "ingle/outside.h"
#include "ingle/paint_thread.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>

namespace ingle::io {
namespace {

/// Of a folder that is open. O_NONBLOCK: opening a FIFO must not wait for a writer.
int openIn(const FileDescriptor& folder, const std::string& name, const std::string& path) {
    const int file = ::openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return file >= 0 || errno != EACCES ? file : openToRead(path);
}

tl::unexpected<Error> refused(const std::string& path, int number) {
    return withFileId(fail(ErrorCode::Io, "{}: {}", path, std::strerror(number)), number, path);
}

/// Where the opened file lies, links resolved; empty where the system does not tell.
std::filesystem::path placeOf(int descriptor) {
    std::error_code ignored;
    return std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), ignored);
}

/// Whether a link in the folder leads to where files of a model lie.
bool leadsToOwnFile(int folder, int file) {
    const std::filesystem::path home = placeOf(folder), place = placeOf(file);
    if (home.empty() || place.empty()) return false;
    const bool isInside = std::ranges::mismatch(home, place).in1 == home.end();
    return isInside || place.parent_path().filename() == "blobs";
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
    INGLE_TRY_ASSIGN(Source source,
                     opened(path, nullptr, FileDescriptor(openToRead(path)), Kind::FileOrFolder));
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
    if (name.empty() || name.size() > NAME_MAX || name == "." || name == ".." ||
        name.find_first_of(kSeparators) != name.npos)
        return withId<ErrorId::FileOutside>(
            fail(ErrorCode::InvalidArgument, "{}: '{}' is not the name of a file beside it", m_path,
                 shown(name)),
            m_path);
    const std::filesystem::path path(m_path);
    return ((isFolder() ? path : path.parent_path()) / name).string();
}

Result<Source> Source::sibling(std::string_view name) const {
    INGLE_TRY_ASSIGN(std::string path, pathOf(name));
    const std::string file(name);
    INGLE_TRY_ASSIGN(Source source, opened(path, m_folder, FileDescriptor(openIn(*m_folder, file, path)),
                                           Kind::FileOrFolder));
    struct stat link {};
    const bool isLink =
        ::fstatat(m_folder->get(), file.c_str(), &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode);
    if (isLink && !leadsToOwnFile(m_folder->get(), source.descriptor()))
        return withId<ErrorId::FileOutside>(
            fail(ErrorCode::Unsupported, "{}: a link to a file outside its folder, which is not followed",
                 path),
            path);
    return source;
}

Result<std::vector<std::string>> Source::names(size_t most) const {
    // A descriptor of its own: reading moves it on.
    const std::string path = isFolder() ? m_path : std::filesystem::path(m_path).parent_path().string();
    const int own = openIn(*m_folder, ".", path.empty() ? "." : path);
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(own < 0 ? nullptr : ::fdopendir(own), ::closedir);
    if (!folder) return refused(m_path, errno);
    std::vector<std::string> names;
    while (names.size() < most) {
        const dirent* entry = ::readdir(folder.get());
        if (!entry) break;
        if (const std::string_view name = entry->d_name; name != "." && name != "..")
            names.emplace_back(name);
    }
    std::ranges::sort(names);
    return names;
}

Result<std::optional<Source>> Source::findSibling(std::string_view name) const {
    INGLE_TRY(pathOf(name));
    const bool isThere = ::faccessat(m_folder->get(), std::string(name).c_str(), F_OK, 0) == 0;
    if (!isThere && errno == ENOENT) return std::nullopt;
    return sibling(name);
}

}  // namespace ingle::io
