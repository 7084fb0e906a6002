#include "engine/session/snapshots/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace ingle::session {
namespace {

enum class Taken { Yes, Stopped, NoLocksHere };

/// Opened for each time: whoever clears the folder takes no lock away for good.
FileDescriptor open(const std::string& path) {
    // Without waiting, where it is a pipe.
    return FileDescriptor(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR));
}

Taken take(const FileDescriptor& file, const std::function<bool()>& waitOrStop) {
    while (file.isOpen()) {
        if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return Taken::Yes;
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) break;
        if (waitOrStop()) return Taken::Stopped;
    }
    return Taken::NoLocksHere;
}

}  // namespace

std::optional<FolderLock> FolderLock::acquire(const std::string& folder,
                                              const std::function<bool()>& waitOrStop) {
    // Whoever waits for the lock has the turn: one that has just let go of it queues behind.
    const FileDescriptor turn = open(folder + "/lock.turn");
    if (take(turn, waitOrStop) == Taken::Stopped) return std::nullopt;
    FileDescriptor file = open(folder + "/lock");
    switch (take(file, waitOrStop)) {
        case Taken::Yes:
            return FolderLock(std::move(file));
        case Taken::Stopped:
            return std::nullopt;
        case Taken::NoLocksHere:
            break;
    }
    return FolderLock(FileDescriptor());
}

}  // namespace ingle::session
