#include "engine/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/io/file_descriptor.h"

namespace ingle::io {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.isOpen()) return fail(ErrorCode::Io, "{}: {}", path, std::strerror(errno));
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return fail(ErrorCode::Io, "{}: {}", path, std::strerror(errno));
    if (!S_ISREG(info.st_mode)) return fail(ErrorCode::Io, "{}: not a regular file", path);
    if (info.st_size == 0) return fail(ErrorCode::Corrupt, "{}: the file is empty", path);

    const auto size = static_cast<size_t>(info.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data == MAP_FAILED)
        return fail(ErrorCode::Io, "{}: cannot map {} bytes: {}", path, size, std::strerror(errno));
    return std::shared_ptr<const MappedFile>(new MappedFile(path, static_cast<const std::byte*>(data), size));
}

MappedFile::~MappedFile() {
    ::munmap(const_cast<std::byte*>(m_data), m_size);
}

}  // namespace ingle::io
