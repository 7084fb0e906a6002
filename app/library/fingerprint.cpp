/// Fingerprints of model files and folders: cheap enough to take at every start.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "app/library/library.h"
#include "ingle/file_descriptor.h"
#include "ingle/outside.h"
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

constexpr size_t kMaxFiles = 10'000;  // of a folder

/// What a model's folder is known by: notes that somebody puts beside it change nothing.
bool isOfModel(std::string_view name) {
    constexpr std::string_view kEndings[] = {".safetensors", ".bin",   ".pth", ".pt",
                                             ".json",        ".model", ".txt"};
    return std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); });
}

struct NamedFile {
    std::string name;
    struct stat status {};
};

/// The files of a model's folder, sorted by name; links lead to them. Errors: Io.
Result<std::vector<NamedFile>> filesOf(const std::string& folder) {
    const int own = openToRead(folder);
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(own < 0 ? nullptr : ::fdopendir(own), ::closedir);
    if (!entries) return fail(ErrorCode::Io, "Cannot open {}: {}.", folder, std::strerror(errno));
    std::vector<NamedFile> files;
    for (size_t i = 0; i < kMaxFiles; ++i) {
        const dirent* entry = ::readdir(entries.get());
        if (!entry) break;
        NamedFile file{entry->d_name};
        if (isOfModel(file.name) && ::fstatat(::dirfd(entries.get()), entry->d_name, &file.status, 0) == 0 &&
            S_ISREG(file.status.st_mode))
            files.push_back(std::move(file));
    }
    std::ranges::sort(files, {}, &NamedFile::name);
    return files;
}

/// Of the folder itself, and the sizes and times of its files.
Fingerprint identity(const struct stat& folder, const std::vector<NamedFile>& files) {
    Fingerprint print;
    print.device = folder.st_dev;
    print.inode = folder.st_ino;
    for (const NamedFile& file : files) {
        const Fingerprint own = identity(file.status);
        print.bytes += own.bytes;
        print.modifiedNs = std::max(print.modifiedNs, own.modifiedNs);
    }
    return print;
}

/// Both ends of a file. Errors: Io.
Status readEnds(int fd, const std::string& path, uint64_t size, std::string& bytes) {
    const uint64_t head = std::min(size, kHashedBytes);
    const uint64_t tail = std::min(size - head, kHashedBytes);
    INGLE_TRY(readRange(fd, path, 0, head, bytes));
    return readRange(fd, path, size - tail, tail, bytes);
}

/// Names, sizes and both ends of all files.
Result<Fingerprint> folderFingerprint(const std::string& path, const struct stat& status) {
    INGLE_TRY_ASSIGN(const std::vector<NamedFile> files, filesOf(path));
    if (files.empty()) return fail(ErrorCode::Io, "{} holds no files of a model.", path);
    Fingerprint print = identity(status, files);
    // Hashed one behind the other: a model may be in hundreds of files.
    for (const NamedFile& each : files) {
        const std::string name = fmt::format("{}/{}", path, each.name);
        const FileDescriptor file(openToRead(name));
        if (!file.isOpen()) return fail(ErrorCode::Io, "Cannot open {}: {}.", name, std::strerror(errno));
        std::string bytes = fmt::format("{:016x}{} {} ", print.headHash, each.name, each.status.st_size);
        INGLE_TRY(readEnds(file.get(), name, static_cast<uint64_t>(each.status.st_size), bytes));
        print.headHash = ::XXH3_64bits(bytes.data(), bytes.size());
    }
    return print;
}

}  // namespace

Result<Fingerprint> fingerprint(const std::string& path) {
    mustNotPaint("The model library");
    const FileDescriptor file(openToRead(path));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
        return fail(ErrorCode::Io, "Cannot open {}: {}.", path, std::strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) return folderFingerprint(path, status);
    if (!S_ISREG(status.st_mode)) return fail(ErrorCode::Io, "{} is neither a file nor a folder.", path);
    Fingerprint print = identity(status);
    std::string bytes;
    INGLE_TRY(readEnds(file.get(), path, print.bytes, bytes));
    print.headHash = ::XXH3_64bits(bytes.data(), bytes.size());
    return print;
}

FileState checkFile(const ModelEntry& entry) {
    struct stat status {};
    if (::stat(entry.path.c_str(), &status) != 0) return FileState::Missing;
    Fingerprint now = identity(status);
    if (S_ISDIR(status.st_mode)) {
        const auto files = filesOf(entry.path);
        if (!files || files->empty()) return FileState::Missing;
        now = identity(status, *files);
    } else if (!S_ISREG(status.st_mode)) {
        return FileState::Missing;
    }
    if (now.bytes != entry.fingerprint.bytes) return FileState::Changed;
    now.headHash = entry.fingerprint.headHash;
    if (now == entry.fingerprint || entry.fingerprint.headHash == Fingerprint::kNoHash)
        return FileState::Same;
    const auto print = fingerprint(entry.path);
    if (!print) return FileState::Missing;
    return print->headHash == entry.fingerprint.headHash ? FileState::Same : FileState::Changed;
}

}  // namespace ingle::library
