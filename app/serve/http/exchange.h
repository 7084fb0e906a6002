/// One request and its answer, which is given at once or bit by bit, from any thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "app/serve/http/body_budget.h"
#include "app/serve/http/message.h"

namespace ingle::serve::http {

/// Any thread. What is said after the client went is dropped.
class Exchange {
  public:
    /// `mostUnread`: bytes of an answer that its client may leave unread; one that leaves more is let go.
    /// `wake` is called when there is something to take(), after a take() that found nothing. `share`: of the
    /// body, and of what becomes of it.
    Exchange(Request request, size_t mostUnread, std::function<void()> wake, BodyBudget::Share share = {})
        : m_share(std::move(share)),
          m_request(std::move(request)),
          m_mostUnread(mostUnread),
          m_wake(std::move(wake)) {}

    const Request& request() const { return m_request; }
    /// For whoever reads it, once: it is not kept beside what becomes of it.
    std::string takeBody() { return std::move(m_request.body); }

    /// Before anything is answered: headers of whatever the answer will be, and who is told its status.
    void prepare(Headers common, std::function<void(int status)> answered);

    /// The whole answer; in place of begin().
    void reply(Response response);
    /// Begins an answer of unknown length: `response.body` is its first piece.
    void begin(Response response);
    /// The next piece.
    void write(std::string_view bytes);
    void end();
    /// `gone` is called once, on any thread, if the client goes before the answer's end; at once if it has
    /// gone already.
    void onGone(std::function<void()> gone);

  private:
    friend class Connection;
    friend class Server;
    enum class Stage { Waiting, Begun, Ended };

    /// What is to be sent next.
    struct Taken {
        std::optional<Response> response;  ///< first of all
        std::string bytes;
        bool isWhole = false;  ///< the response is all there is
        bool isEnd = false;
        bool isGone = false;  ///< the connection is to be closed
    };
    Taken take(size_t most);
    bool hasEnded();
    /// Tells who waits for onGone(), and has the connection closed.
    void lose();
    void completed(bool isAllSent);
    // With m_mutex held.
    void setResponse(Response response, Stage stage);
    void wake();
    size_t unread() const { return m_pieces.size() - m_sent; }

    const BodyBudget::Share m_share;
    Request m_request;
    const size_t m_mostUnread;
    mutable std::mutex m_mutex;  ///< guards everything below
    std::function<void()> m_wake;
    Stage m_stage = Stage::Waiting;
    Response m_response;
    bool m_isWhole = false;      ///< m_response is all there is
    bool m_hasResponse = false;  ///< nobody has taken it
    Headers m_common;
    std::function<void(int)> m_answered;
    std::string m_pieces;  ///< from m_sent on they wait to be sent
    size_t m_sent = 0;
    bool m_isGone = false;
    bool m_isAwaited = false;  ///< wake() has somebody to wake
    std::function<void()> m_gone;
};

}  // namespace ingle::serve::http
