#include "app/local/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "ingle/error_ids.h"
#include "ingle/file_descriptor.h"

namespace ingle::local {

Result<std::string> readKeyFile(const std::string& path) {
    // A pipe would wait for whoever writes to it.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.isOpen()) {
        const int number = errno;
        return withFileId(fail(ErrorCode::Io, "{}: {}", path, std::strerror(number)), number, path);
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
        return fail(ErrorCode::InvalidArgument, "{}: not a file", path);
    if (status.st_uid != ::geteuid())
        return fail(ErrorCode::InvalidArgument, "{}: the file of the key belongs to somebody else", path);
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return fail(ErrorCode::InvalidArgument,
                    "{}: others may read the key; `chmod 600` makes it yours alone", path);
    std::array<char, 8192> buffer;
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0) return fail(ErrorCode::Io, "{}: {}", path, std::strerror(errno));
    std::string key(buffer.data(), static_cast<size_t>(count));
    const auto isSpace = [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; };
    while (!key.empty() && isSpace(key.back())) key.pop_back();
    // Anything else could end the header that the key is sent in.
    const auto isPrinted = [](char c) { return c > ' ' && c < '\x7f'; };
    if (key.empty() || key.size() == buffer.size() || !std::ranges::all_of(key, isPrinted))
        return fail(ErrorCode::InvalidArgument,
                    "{}: a file of a key has one line, and nothing but the key in it", path);
    return key;
}

}  // namespace ingle::local
