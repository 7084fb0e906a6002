/// One connection: requests come one behind the other, and each is answered before the next one is read.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/serve/http/body_reader.h"
#include "app/serve/http/exchange.h"
#include "app/serve/http/head.h"
#include "ingle/file_descriptor.h"

namespace ingle::serve::http {

struct Limits {
    size_t headerBytes = 32 * 1024;       ///< of the path and all headers
    size_t bodyBytes = size_t{24} << 20;  ///< a photograph in Base64, with room
    /// Of the bodies of all requests together, until they are answered. Copies of these limits share it.
    std::shared_ptr<BodyBudget> allBodies = std::make_shared<BodyBudget>(size_t{64} << 20);
    size_t unreadBytes = size_t{4} << 20;  ///< see Exchange
    unsigned connections = 512;            ///< of which one address has half at most
    /// A head that has not come whole by then is not waited for.
    std::chrono::milliseconds head{10'000};
    /// Nothing sent or read for so long ends a connection, and a body that has not come whole by then is not
    /// waited for.
    std::chrono::milliseconds idle{30'000};
};

/// Looked at when the headers have come: of a request that is refused the body is dropped as it comes.
/// Nothing: it may go on.
using Gate = std::function<std::optional<Response>(const Request&)>;
/// Called on the server's thread for each whole request, which it answers then or later.
using Handler = std::function<void(std::shared_ptr<Exchange>)>;

/// The server's thread.
class Connection {
  public:
    using Clock = std::chrono::steady_clock;

    struct Terms {
        const Limits& limits;
        const Gate& gate;
        const Handler& handler;
    };

    /// `peer`: the client's address; empty: it has none. `wake`: has awake() called, from any thread.
    Connection(FileDescriptor socket, std::string peer, Terms terms, std::function<void()> wake);
    ~Connection();

    int fd() const { return m_socket.get(); }
    const std::string& peer() const { return m_peer; }

    /// What epoll said of the socket.
    void handle(uint32_t events);
    /// The exchange has something to say.
    void awake() { advance(); }
    /// From time to time: ends what takes too long, and what nobody waits for.
    void look(Clock::time_point now);
    void lose();
    /// Says that there is no room for it, and hears it out, so that the client can read that.
    void turnAway();

    /// What epoll is to wait for.
    uint32_t interest() const;
    bool isOver() const { return m_stage == Stage::Over; }
    bool hasExchange() const { return m_exchange != nullptr; }
    /// It has sent a part of a head, or nothing for so long, and nothing of it is left to be read: it may be
    /// closed in favour of another one.
    bool isWaiting(Clock::duration silent) const;
    /// It has its last answer.
    bool isLeaving() const { return m_stage == Stage::Draining || m_stage == Stage::Over; }
    bool hasAsked() const { return m_hasAsked; }
    Clock::time_point since() const { return m_since; }

  private:
    enum class Stage {
        Head,
        Body,
        Answering,
        Draining,  ///< the answer has been sent, and the client may still be sending
        Over
    };

    void receive();
    /// Does what can be done until something has to come or go.
    void advance();
    // Each is done with its stage when it returns true, else waits.
    bool readHead();
    bool readBody();
    bool writeAnswer();
    void keepBody(std::string_view bytes);
    void hand();
    void refuse(Response response);
    void refuseAndClose(Response response);
    void queue(const Response& response, bool isWhole);
    void queuePiece(std::string_view bytes);
    /// Sends what waits; false while the client reads nothing.
    bool flush();
    void enter(Stage stage);

    FileDescriptor m_socket;
    const std::string m_peer;
    const Terms m_terms;
    const std::function<void()> m_wake;
    Stage m_stage = Stage::Head;
    Clock::time_point m_since = Clock::now();  ///< when this stage began, or something went on in it
    bool m_hasAsked = false;                   ///< a whole head has come
    bool m_hasBegun = false;                   ///< bytes of a further head have come
    bool m_hasSkippedLine = false;             ///< an empty line before it, too
    bool m_hasEnded = false;                   ///< the client sends nothing more
    bool m_isMissed = false;                   ///< it had said so one look ago
    std::string m_in;
    HeadScanner m_scanner;
    Head m_head;
    BodyReader m_body = BodyReader::ofLength(0);
    BodyBudget::Share m_share;
    size_t m_received = 0;  ///< of the body
    std::optional<Response> m_refusal;
    std::shared_ptr<Exchange> m_exchange;
    std::string m_out;
    size_t m_sent = 0;         ///< of m_out
    bool m_isHead = false;     ///< the request asks for the head of the answer only
    bool m_isChunked = false;  ///< the answer
    bool m_isEnd = false;      ///< of the answer: m_out holds its last bytes
};

}  // namespace ingle::serve::http
