#include "app/serve/http/server.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <utility>
#include <vector>

namespace ingle::serve::http {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookInterval = 200ms;
constexpr int kMostAccepted = 64;  // then the others have their turn
constexpr auto kTrimAfter = 1s;
constexpr auto kRestWithoutDescriptor = 10ms;
constexpr auto kSilent = 1s;        // so long somebody who has just come may take to ask
constexpr size_t kMostLeaving = 2;  // connections, with those that are turned away, for each that may be open
constexpr uint64_t kListenerId = 0, kInboxId = 1;

/// Of an internet socket without its port, else nothing.
std::string addressOf(const sockaddr_storage& address) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address.ss_family == AF_INET)
        ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
    else if (address.ss_family == AF_INET6)
        ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text, sizeof text);
    return text;
}

}  // namespace

/// What other threads have to say to the server's. It outlives the server with the exchanges that use it.
struct Server::Inbox {
    void post(uint64_t id) {
        {
            const std::scoped_lock lock(mutex);
            awake.push_back(id);
        }
        ring();
    }
    void ring() const { (void)::eventfd_write(bell.get(), 1); }
    std::vector<uint64_t> take() {
        eventfd_t rung = 0;
        (void)::eventfd_read(bell.get(), &rung);
        const std::scoped_lock lock(mutex);
        return std::exchange(awake, {});
    }

    FileDescriptor bell{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::mutex mutex;
    std::vector<uint64_t> awake;  ///< connections
};

Server::Server(FileDescriptor listener, const Limits& limits, Gate gate, Handler handler)
    : m_limits(limits),
      m_gate(std::move(gate)),
      m_handler(std::move(handler)),
      m_listener(std::move(listener)),
      m_epoll(::epoll_create1(EPOLL_CLOEXEC)),
      m_inbox(std::make_shared<Inbox>()) {}

Result<std::unique_ptr<Server>> Server::start(FileDescriptor listener, const Limits& limits, Gate gate,
                                              Handler handler) {
    std::unique_ptr<Server> server(
        new Server(std::move(listener), limits, std::move(gate), std::move(handler)));
    if (!server->m_epoll.isOpen() || !server->m_inbox->bell.isOpen())
        return fail(ErrorCode::Io, "The HTTP server cannot be started.");
    server->wait(server->m_listener.get(), kListenerId, EPOLLIN, EPOLL_CTL_ADD);
    server->wait(server->m_inbox->bell.get(), kInboxId, EPOLLIN, EPOLL_CTL_ADD);
    server->m_thread = std::thread([raw = server.get()] { raw->run(); });
    return server;
}

Server::~Server() {
    if (!m_thread.joinable()) return;
    m_isEnding = true;
    m_inbox->ring();
    m_thread.join();
}

void Server::closeListener() {
    m_isClosing = true;
    m_inbox->ring();
}

void Server::wait(int fd, uint64_t id, uint32_t events, int operation) const {
    epoll_event event{.events = events, .data = {.u64 = id}};
    ::epoll_ctl(m_epoll.get(), operation, fd, &event);
}

void Server::run() {
    auto nextLook = Connection::Clock::now() + kLookInterval;
    std::array<epoll_event, 64> events;
    while (!m_isEnding) {
        const int count = ::epoll_wait(m_epoll.get(), events.data(), events.size(),
                                       static_cast<int>(kLookInterval.count()));
        for (int each = 0; each < count; ++each) {
            const epoll_event& event = events[static_cast<size_t>(each)];
            if (event.data.u64 == kListenerId) {
                accept();
            } else if (event.data.u64 == kInboxId) {
                for (const uint64_t id : m_inbox->take()) {
                    const auto found = m_connections.find(id);
                    if (found == m_connections.end()) continue;
                    found->second->awake();
                    settle(found);
                }
            } else if (const auto found = m_connections.find(event.data.u64); found != m_connections.end()) {
                found->second->handle(event.events);
                settle(found);
            }
        }
        m_answering = static_cast<size_t>(std::ranges::count_if(
            m_connections, [](const auto& each) { return each.second->hasExchange(); }));
        if (m_isClosing) m_listener = {};
        if (const auto now = Connection::Clock::now(); now >= nextLook) {
            look();
            nextLook = now + kLookInterval;
        }
    }
    for (const auto& [id, connection] : m_connections) connection->lose();
    m_connections.clear();
    m_listener = {};
}

void Server::settle(Connections::iterator connection) {
    Connection& settled = *connection->second;
    if (settled.isOver())
        m_connections.erase(connection);
    else
        wait(settled.fd(), connection->first, settled.interest(), EPOLL_CTL_MOD);
}

void Server::accept() {
    for (int accepted = 0; accepted < kMostAccepted && m_listener.isOpen(); ++accepted) {
        sockaddr_storage address{};
        socklen_t size = sizeof address;
        FileDescriptor socket(::accept4(m_listener.get(), reinterpret_cast<sockaddr*>(&address), &size,
                                        SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket.isOpen()) {
            // Where the process has no descriptor left the client waits.
            if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(kRestWithoutDescriptor);
            return;
        }
        std::string peer = addressOf(address);
        const bool hasRoom = makeRoom(peer);
        const uint64_t id = ++m_lastId;
        auto connection = std::make_unique<Connection>(std::move(socket), std::move(peer),
                                                       Connection::Terms{m_limits, m_gate, m_handler},
                                                       [inbox = m_inbox, id] { inbox->post(id); });
        if (!hasRoom) connection->turnAway();
        if (connection->isOver() || m_connections.size() >= kMostLeaving * m_limits.connections) continue;
        wait(connection->fd(), id, connection->interest(), EPOLL_CTL_ADD);
        m_connections.emplace(id, std::move(connection));
    }
}

bool Server::makeRoom(const std::string& peer) {
    const size_t most = m_limits.connections, mostOfPeer = std::max<size_t>(most / 2, 1);
    const auto isPeers = [&](const auto& each) { return !peer.empty() && each.second->peer() == peer; };
    const auto number = [&](const auto& isMeant) {
        return static_cast<size_t>(std::ranges::count_if(
            m_connections, [&](const auto& each) { return !each.second->isLeaving() && isMeant(each); }));
    };
    const bool isPeerFull = number(isPeers) >= mostOfPeer;
    if (number([](const auto&) { return true; }) < most && !isPeerFull) return true;
    // What has come but was not read yet counts: somebody who has asked is not closed.
    for (auto each = m_connections.begin(); each != m_connections.end();) {
        const auto read = each++;
        read->second->handle(EPOLLIN);
        settle(read);
    }
    auto longest = m_connections.end();
    for (auto each = m_connections.begin(); each != m_connections.end(); ++each) {
        if (!each->second->isWaiting(kSilent) || (isPeerFull && !isPeers(*each))) continue;
        const auto rank = [](const Connection& waiting) {
            return std::pair(waiting.hasAsked(), waiting.since());
        };
        if (longest == m_connections.end() || rank(*each->second) < rank(*longest->second)) longest = each;
    }
    if (longest == m_connections.end()) return false;
    m_connections.erase(longest);
    return true;
}

void Server::look() {
    const auto now = Connection::Clock::now();
    for (auto each = m_connections.begin(); each != m_connections.end();) {
        const auto looked = each++;
        looked->second->look(now);
        settle(looked);
    }
    // What long requests took is given back to the system, once their last copies have gone: the allocator
    // would keep it.
    if (m_limits.allBodies->takeReleased()) m_trimAt = now + kTrimAfter;
    if (now < m_trimAt.value_or(now + 1s)) return;
    m_trimAt.reset();
    ::malloc_trim(0);
}

}  // namespace ingle::serve::http
