#include "app/documents/opened_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "app/documents/refusals.h"
#include "ingle/error_ids.h"

namespace ingle::documents {

Result<OpenedFile> openFile(const std::string& path) {
    // Whatever has no end or no bytes (a pipe, a device) is not waited for.
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat facts {};
    if (!file.isOpen() || ::fstat(file.get(), &facts) != 0) {
        const int number = errno;
        return withFileId(fail(ErrorCode::Io, "The file cannot be opened: {}.", std::strerror(number)),
                          number, path);
    }
    const bool isFolder = S_ISDIR(facts.st_mode);
    if (!isFolder && !S_ISREG(facts.st_mode)) return refuse(Refusal::NotAFile);
    return OpenedFile{std::move(file), isFolder, static_cast<uint64_t>(facts.st_size)};
}

}  // namespace ingle::documents
