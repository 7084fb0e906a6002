/// One request and its answer, which is given at once or bit by bit, from any thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "app/serve/http/message.h"

struct MHD_Connection;

namespace ingle::serve::http {

/// Any thread. What is said after the client went is dropped.
class Exchange {
  public:
    /// `mostUnread`: bytes of an answer that its client may leave unread; one that leaves more is let go.
    Exchange(Request request, size_t mostUnread) : m_request(std::move(request)), m_mostUnread(mostUnread) {}

    const Request& request() const { return m_request; }

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
    friend class Server;
    enum class Stage { Waiting, Begun, Ended };

    /// What is to be sent next, for the server's thread.
    int queueAnswer(const std::shared_ptr<Exchange>& self);
    int64_t read(char* buffer, size_t most);
    /// Tells who waits for onGone(), and has the connection closed.
    void lose();
    void completed(bool isAllSent);
    // With m_mutex held.
    void setResponse(Response response, Stage stage);
    void suspend();
    void wake();
    size_t unread() const { return m_pieces.size() - m_sent; }

    const Request m_request;
    const size_t m_mostUnread;
    mutable std::mutex m_mutex;  ///< guards everything below
    Stage m_stage = Stage::Waiting;
    Response m_response;
    bool m_isWhole = false;  ///< m_response is all there is
    Headers m_common;
    std::function<void(int)> m_answered;
    std::string m_pieces;  ///< from m_sent on they wait to be sent
    size_t m_sent = 0;
    bool m_isGone = false;
    bool m_isSuspended = false;  ///< the server waits for what comes next
    std::function<void()> m_gone;
    MHD_Connection* m_connection = nullptr;  ///< null: not yet, or not any more
};

}  // namespace ingle::serve::http
