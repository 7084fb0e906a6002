#include "app/serve/listeners.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace ingle::serve {
namespace {

namespace fs = std::filesystem;

constexpr int kBacklog = 128;

tl::unexpected<Error> systemError(std::string_view what) {
    return fail(ErrorCode::Io, "{}: {}", what, std::strerror(errno));
}

/// Somebody answers there.
bool isServed(const sockaddr_un& address) {
    const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

union AnyAddress {
    sockaddr_storage storage;
    sockaddr_in v4;
    sockaddr_in6 v6;
};

}  // namespace

Result<std::string> defaultSocketPath() {
    const char* folder = std::getenv("XDG_RUNTIME_DIR");
    if (folder == nullptr || *folder == '\0')
        return fail(ErrorCode::InvalidArgument,
                    "XDG_RUNTIME_DIR is not set: --socket has to say where the socket is to be");
    return std::string(folder) + "/inglenook/serve.sock";
}

Result<FileDescriptor> listenOnPath(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return fail(ErrorCode::InvalidArgument, "{}: the path of a socket has {} bytes at most", path,
                    sizeof address.sun_path - 1);
    path.copy(address.sun_path, path.size());
    std::error_code error;
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && fs::create_directories(folder, error))
        fs::permissions(folder, fs::perms::owner_all, error);
    if (error) return fail(ErrorCode::Io, "{}: {}", folder.string(), error.message());
    const auto kind = fs::symlink_status(path, error).type();
    if (kind == fs::file_type::socket) {
        if (isServed(address))
            return fail(ErrorCode::InvalidArgument, "{}: another server listens there already", path);
        fs::remove(path, error);
    } else if (kind != fs::file_type::not_found) {
        return fail(ErrorCode::InvalidArgument, "{}: there is something else than a socket", path);
    }
    FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // The rights of a socket are those at bind(): nobody else may open it for a moment either.
    const mode_t before = ::umask(0177);
    const int bound = ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::umask(before);
    if (bound != 0 || ::listen(listener.get(), kBacklog) != 0) return systemError(path);
    return listener;
}

Result<Address> readAddress(const std::string& text) {
    Address address{.host = "127.0.0.1"};
    const size_t colon = text.rfind(':');
    std::string_view port = text;
    if (colon != text.npos) {
        address.host = text.substr(0, colon);
        port.remove_prefix(colon + 1);
        if (address.host.starts_with('[') && address.host.ends_with(']'))
            address.host = address.host.substr(1, address.host.size() - 2);
    }
    const auto parsed = std::from_chars(port.data(), port.data() + port.size(), address.port);
    in_addr v4{};
    in6_addr v6{};
    const bool isV4 = ::inet_pton(AF_INET, address.host.c_str(), &v4) == 1;
    const bool isV6 = ::inet_pton(AF_INET6, address.host.c_str(), &v6) == 1;
    if (parsed.ec != std::errc{} || parsed.ptr != port.data() + port.size() || !(isV4 || isV6))
        return fail(ErrorCode::InvalidArgument, "{}: this is no port, and no address and port", text);
    address.isLoopback = isV4 ? (ntohl(v4.s_addr) >> 24) == 127 : IN6_IS_ADDR_LOOPBACK(&v6) != 0;
    return address;
}

Result<NetworkListener> listenOn(const Address& address) {
    AnyAddress any{};
    socklen_t size = sizeof any.v4;
    any.v4.sin_family = AF_INET;
    any.v4.sin_port = htons(address.port);
    if (::inet_pton(AF_INET, address.host.c_str(), &any.v4.sin_addr) != 1) {
        any = {};
        size = sizeof any.v6;
        any.v6.sin6_family = AF_INET6;
        any.v6.sin6_port = htons(address.port);
        ::inet_pton(AF_INET6, address.host.c_str(), &any.v6.sin6_addr);
    }
    const std::string name = fmt::format("{}:{}", address.host, address.port);
    NetworkListener listener{
        FileDescriptor(::socket(any.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))};
    const int yes = 1;
    ::setsockopt(listener.socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(listener.socket.get(), reinterpret_cast<const sockaddr*>(&any), size) != 0 ||
        ::listen(listener.socket.get(), kBacklog) != 0)
        return systemError(name);
    if (::getsockname(listener.socket.get(), reinterpret_cast<sockaddr*>(&any), &size) != 0)
        return systemError(name);
    listener.port = ntohs(any.storage.ss_family == AF_INET ? any.v4.sin_port : any.v6.sin6_port);
    return listener;
}

}  // namespace ingle::serve
