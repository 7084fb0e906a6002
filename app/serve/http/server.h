/// Event-driven HTTP/1.1 by libmicrohttpd: one thread waits for all connections of a listening socket, so
/// that a client that reads slowly, or sends slowly, costs nobody else anything.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/serve/http/exchange.h"
#include "ingle/file_descriptor.h"
#include "ingle/result.h"

struct MHD_Daemon;

namespace ingle::serve::http {

struct Limits {
    size_t headerBytes = 32 * 1024;  ///< of the path and all headers
    size_t bodyBytes = size_t{8} << 20;
    size_t unreadBytes = size_t{4} << 20;  ///< see Exchange
    unsigned connections = 256;
    /// Nothing sent or read for so long ends a connection, and a request that has not come whole by then is
    /// not waited for.
    std::chrono::milliseconds idle{30'000};
};

/// Looked at when the headers have come: of a request that is refused the body is dropped as it comes.
/// Nothing: it may go on.
using Gate = std::function<std::optional<Response>(const Request&)>;
/// Called on the server's thread for each whole request, which it answers then or later.
using Handler = std::function<void(std::shared_ptr<Exchange>)>;

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
    bool isIdle();

  private:
    struct Connection;
    struct Call;
    struct Callbacks;  ///< what libmicrohttpd calls

    Server(FileDescriptor listener, const Limits& limits, Gate gate, Handler handler);

    int receive(MHD_Connection* connection, Call& call, const char* body, size_t& bodyBytes);
    void hand(MHD_Connection* connection, Call& call);
    void completed(std::unique_ptr<Call> call, bool isAllSent);
    /// Looks for clients that have gone while they wait, which libmicrohttpd does not, and for those that
    /// take too long to send a request.
    void watch();
    void lookAtConnections();

    const Limits m_limits;
    const Gate m_gate;
    const Handler m_handler;
    FileDescriptor m_listener;
    MHD_Daemon* m_daemon = nullptr;

    std::mutex m_mutex;  ///< guards everything below
    std::list<Connection*> m_connections;
    bool m_isEnding = false;
    std::condition_variable m_ends;
    std::thread m_watcher;
};

}  // namespace ingle::serve::http
