#include "app/local/local_socket.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace ingle::local {
namespace {

constexpr int kWaitingClients = 128;

auto refused(const std::string& path) {
    return fail(ErrorCode::Io, "{}: {}", path, std::strerror(errno));
}

/// Errors: InvalidArgument, where it has no room for that.
Result<sockaddr_un> addressOf(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
        return fail(ErrorCode::InvalidArgument, "{}: a path of a socket has 1 to {} bytes", path,
                    sizeof address.sun_path - 1);
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

/// Who is at the other end; nothing when it is another user's.
std::optional<ucred> peerOf(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool isKnown = ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    if (!isKnown || peer.uid != ::geteuid()) return std::nullopt;
    return peer;
}

/// One that is there already must be ours.
Status makeFolder(const std::string& path) {
    if (::mkdir(path.c_str(), S_IRWXU) == 0) return {};
    if (errno != EEXIST) return refused(path);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return refused(path);
    if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
        return fail(ErrorCode::InvalidArgument, "{}: not a folder of this user", path);
    return {};
}

/// Whoever has it listens. Taken away by nobody, or two could have it.
Result<FileDescriptor> takeLock(const std::string& path) {
    FileDescriptor lock(
        ::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!lock.isOpen()) return refused(path + ".lock");
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
        return fail(ErrorCode::InvalidArgument, "Another program listens at {}.", path);
    return lock;
}

}  // namespace

Result<std::string> defaultSocketPath(std::string_view name) {
    const char* folder = std::getenv("XDG_RUNTIME_DIR");
    if (!folder || folder[0] != '/')
        return fail(
            ErrorCode::InvalidArgument,
            "There is no XDG_RUNTIME_DIR, the folder for sockets of this user; --socket names another "
            "place.");
    return fmt::format("{}/inglenook/{}", folder, name);
}

Result<LocalSocket> LocalSocket::listen(const std::string& path) {
    INGLE_TRY_ASSIGN(const sockaddr_un address, addressOf(path));
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const bool isOurs = std::filesystem::path(folder).filename() == "inglenook";
    if (!folder.empty()) INGLE_TRY(makeFolder(folder));
    // One that somebody else made this program's folder of.
    if (isOurs && ::chmod(folder.c_str(), S_IRWXU) != 0) return refused(folder);
    INGLE_TRY_ASSIGN(FileDescriptor lock, takeLock(path));

    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) {
        if (!S_ISSOCK(status.st_mode))
            return fail(ErrorCode::InvalidArgument, "{}: something else than a socket is there", path);
        if (::unlink(path.c_str()) != 0) return refused(path);  // of a program that was killed
    }
    LocalSocket made(path, std::move(lock));
    made.m_path.clear();  // nothing of ours is there yet
    FileDescriptor listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!listening.isOpen()) return refused(path);
    // From the first moment: a chmod() would come too late.
    const mode_t before = ::umask(S_IXUSR | S_IRWXG | S_IRWXO);
    const int bound = ::bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int number = errno;
    ::umask(before);
    errno = number;
    if (bound != 0) return refused(path);
    made.m_path = path;
    if (::listen(listening.get(), kWaitingClients) != 0) return refused(path);
    made.m_listening = std::move(listening);
    return made;
}

LocalSocket::~LocalSocket() {
    if (m_lock.isOpen() && !m_path.empty()) ::unlink(m_path.c_str());
}

std::optional<FileDescriptor> LocalSocket::accept() const {
    FileDescriptor client(::accept4(m_listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client.isOpen()) return std::nullopt;
    if (!peerOf(client.get())) return std::nullopt;
    return client;
}

Result<LocalPeer> connectTo(const std::string& path) {
    INGLE_TRY_ASSIGN(const sockaddr_un address, addressOf(path));
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.isOpen()) return refused(path);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return refused(path);
    const auto peer = peerOf(socket.get());
    if (!peer) return fail(ErrorCode::Io, "{}: another user's program listens there", path);
    return LocalPeer{peer->pid, std::move(socket)};
}

}  // namespace ingle::local
