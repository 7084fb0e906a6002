#include "app/brokers/connections.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "app/sandbox/connect_requests.h"

namespace ingle::brokers {
namespace {

constexpr timeval kPatience{5, 0};

/// The sockets of the display: X11's, by a file and without one, and Wayland's.
std::vector<std::string> displaySockets() {
    std::vector<std::string> sockets;
    const std::string display = environment("DISPLAY"), runtime = environment("XDG_RUNTIME_DIR");
    if (const size_t colon = display.rfind(':'); colon != display.npos) {
        const std::string number = display.substr(colon + 1, display.find('.', colon) - colon - 1);
        const std::string path = "/tmp/.X11-unix/X" + number;
        sockets.insert(sockets.end(), {path, '\0' + path});
        if (display.starts_with('/')) sockets.insert(sockets.end(), {display, display.substr(0, colon)});
    }
    const std::string wayland = environment("WAYLAND_DISPLAY");
    for (const std::string& name : {wayland, std::string("wayland-0")})
        if (!name.empty()) sockets.push_back(name.starts_with('/') ? name : runtime + "/" + name);
    return sockets;
}

/// Whether `name` is one of those that begin so, and means nothing else in an address of D-Bus.
bool beginsWithAny(const std::string& name, const std::vector<std::string>& beginnings) {
    const auto isPlain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("/-_.", c) != nullptr;
    };
    return name.find("/../") == name.npos && std::ranges::all_of(name, isPlain) &&
           std::ranges::any_of(beginnings, [&](const std::string& each) {
               return name.size() > each.size() && name.starts_with(each);
           });
}

}  // namespace

Connections::Connections(const WindowTask& task, FileDescriptor memory)
    : m_direct(displaySockets()),
      m_sessionBus(socketsOf(sessionBusAddress())),
      m_accessibility(socketsOf(environment("AT_SPI_BUS_ADDRESS"))),
      m_proxyFolder(task.runtimeFolder),
      m_memory(std::move(memory)) {
    m_direct.insert(m_direct.end(), task.sockets.begin(), task.sockets.end());
    // Another window of the same person.
    m_directBeginnings.push_back(task.runtimeFolder + "/window/");
    const std::string runtime = environment("XDG_RUNTIME_DIR"), home = environment("HOME");
    const std::string cacheHome = environment("XDG_CACHE_HOME");
    for (const std::string& cache : {home + "/.cache", cacheHome}) {
        if (cache.empty()) continue;
        m_accessibilityBeginnings.push_back(cache + "/at-spi/");
    }
    if (!runtime.empty()) m_accessibilityBeginnings.push_back(runtime + "/at-spi/");
    if (!m_sessionBus.empty())
        m_session = std::make_unique<BusProxy>(Bus::Session, sessionBusAddress(),
                                               m_proxyFolder + "/bus-" + std::to_string(::getpid()));
}

void Connections::close() {
    m_session.reset();
    m_readers.reset();
}

std::optional<std::string> Connections::placeFor(const std::string& name) {
    if (std::ranges::count(m_direct, name) > 0 || beginsWithAny(name, m_directBeginnings)) return name;
    if (m_session && std::ranges::count(m_sessionBus, name) > 0)
        return m_session->isReady() ? std::optional(m_session->socket()) : std::nullopt;
    if (std::ranges::count(m_accessibility, name) > 0 || beginsWithAny(name, m_accessibilityBeginnings)) {
        // Only few people have readers of screens.
        if (!m_readers)
            m_readers = std::make_unique<BusProxy>(
                Bus::Accessibility,
                name.front() == '\0' ? "unix:abstract=" + name.substr(1) : "unix:path=" + name,
                m_proxyFolder + "/readers-" + std::to_string(::getpid()));
        return m_readers->isReady() ? std::optional(m_readers->socket()) : std::nullopt;
    }
    return std::nullopt;
}

/// Returns 0, or an errno.
int Connections::connectTo(const std::string& name, FileDescriptor& connected) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (name.size() >= sizeof address.sun_path) return ENAMETOOLONG;
    std::memcpy(address.sun_path, name.data(), name.size());
    const size_t end = name.front() == '\0' ? name.size() : name.size() + 1;
    connected = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // One whose queue is full holds nobody up for long.
    ::setsockopt(connected.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
    if (::connect(connected.get(), reinterpret_cast<const sockaddr*>(&address),
                  static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + end)) != 0)
        return errno;
    constexpr timeval kForEver{0, 0};
    ::setsockopt(connected.get(), SOL_SOCKET, SO_SNDTIMEO, &kForEver, sizeof kForEver);
    // Toolkits do not wait in these; most only say so afterwards.
    return ::fcntl(connected.get(), F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

void Connections::answer(int requests) {
    const auto request = sandbox::nextConnectRequest(requests);
    if (!request) return;
    sockaddr_un address{};
    FileDescriptor connected;
    int error = EACCES;
    if (request->length > offsetof(sockaddr_un, sun_path) && request->length <= sizeof address &&
        ::pread(m_memory.get(), &address, request->length, static_cast<off_t>(request->address)) ==
            static_cast<ssize_t>(request->length) &&
        address.sun_family == AF_UNIX) {
        std::string name(address.sun_path, request->length - offsetof(sockaddr_un, sun_path));
        // A path ends with a zero; other names begin with one.
        if (name.front() != '\0') name.resize(std::min(name.find('\0'), name.size()));
        if (const auto place = placeFor(name)) error = connectTo(*place, connected);
    }
    sandbox::answerConnect(requests, *request, error, connected.get());
}

}  // namespace ingle::brokers
