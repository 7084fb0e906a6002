/// Event-driven HTTP/1.1: one thread waits for all connections of a listening socket, so that a client that
/// reads slowly, or sends slowly, costs nobody else anything.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "app/serve/http/connection.h"
#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::serve::http {

/// Any thread.
class Server {
  public:
    /// Takes `listener`, a listening socket. Errors: Io.
    static Result<std::unique_ptr<Server>> start(FileDescriptor listener, const Limits& limits, Gate gate,
                                                 Handler handler);
    /// Ends all connections. Exchanges may outlive it.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Takes no further connection; those that are open go on.
    void closeListener();
    /// No request is being answered: every answer has been sent to its end, or its client has gone.
    bool isIdle() const { return m_answering == 0; }

  private:
    struct Inbox;
    using Connections = std::map<uint64_t, std::unique_ptr<Connection>>;

    Server(FileDescriptor listener, const Limits& limits, Gate gate, Handler handler);

    // All of these on the server's thread.
    void run();
    void accept();
    /// Makes room for another connection of `peer`, in place of the one that has waited longest for a head.
    bool makeRoom(const std::string& peer);
    void wait(int fd, uint64_t id, uint32_t events, int operation) const;
    /// Behind whatever happened to it.
    void settle(Connections::iterator connection);
    void look();

    const Limits m_limits;
    const Gate m_gate;
    const Handler m_handler;
    FileDescriptor m_listener;
    FileDescriptor m_epoll;
    std::shared_ptr<Inbox> m_inbox;
    std::atomic<bool> m_isClosing{false};
    std::atomic<bool> m_isEnding{false};
    std::atomic<size_t> m_answering{0};
    std::thread m_thread;

    Connections m_connections;
    std::optional<Connection::Clock::time_point> m_trimAt;
    uint64_t m_lastId = 1;  ///< of a connection
};

}  // namespace ingle::serve::http
