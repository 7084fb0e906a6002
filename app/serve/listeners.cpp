#include "app/serve/listeners.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace ingle::serve {
namespace {

constexpr int kBacklog = 128;

tl::unexpected<Error> systemError(std::string_view what) {
    return fail(ErrorCode::Io, "{}: {}", what, std::strerror(errno));
}

union AnyAddress {
    sockaddr_storage storage;
    sockaddr_in v4;
    sockaddr_in6 v6;
};

}  // namespace

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
    // [::] is every address of IPv6, and none of IPv4.
    if (any.storage.ss_family == AF_INET6)
        ::setsockopt(listener.socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    if (::bind(listener.socket.get(), reinterpret_cast<const sockaddr*>(&any), size) != 0 ||
        ::listen(listener.socket.get(), kBacklog) != 0)
        return systemError(name);
    if (::getsockname(listener.socket.get(), reinterpret_cast<sockaddr*>(&any), &size) != 0)
        return systemError(name);
    listener.port = ntohs(any.storage.ss_family == AF_INET ? any.v4.sin_port : any.v6.sin6_port);
    return listener;
}

}  // namespace ingle::serve
