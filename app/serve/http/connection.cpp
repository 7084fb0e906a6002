#include "app/serve/http/connection.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <iterator>
#include <utility>

namespace ingle::serve::http {
namespace {

using namespace std::chrono_literals;

constexpr size_t kBlockBytes = 64 * 1024;  // what is read or sent at once
constexpr size_t kMostReads = 8;           // then the others have their turn
constexpr auto kMostDraining = 2s;
/// Headers beyond their limit are refused once all of them, and the body, have come; beyond this at once.
constexpr size_t kMostHeadBytesPerHeaderByte = 4;

std::string_view phraseOf(int status) {
    static constexpr std::array<std::pair<int, std::string_view>, 14> kPhrases{
        {{200, "OK"},
         {201, "Created"},
         {204, "No Content"},
         {400, "Bad Request"},
         {401, "Unauthorized"},
         {403, "Forbidden"},
         {404, "Not Found"},
         {405, "Method Not Allowed"},
         {413, "Content Too Large"},
         {429, "Too Many Requests"},
         {431, "Request Header Fields Too Large"},
         {500, "Internal Server Error"},
         {503, "Service Unavailable"},
         {504, "Gateway Timeout"}}};
    const auto found = std::ranges::find(kPhrases, status, &std::pair<int, std::string_view>::first);
    return found == kPhrases.end() ? std::string_view() : found->second;
}

std::string dateNow() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    char text[40];
    return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc)};
}

size_t headerBytes(const Request& request) {
    size_t bytes = request.path.size();
    for (const auto& [name, value] : request.headers) bytes += name.size() + value.size();
    return bytes;
}

}  // namespace

Connection::Connection(FileDescriptor socket, std::string peer, Terms terms, std::function<void()> wake)
    : m_socket(std::move(socket)), m_peer(std::move(peer)), m_terms(terms), m_wake(std::move(wake)) {}

Connection::~Connection() {
    if (m_exchange) m_exchange->completed(false);
}

uint32_t Connection::interest() const {
    uint32_t events = 0;
    if (m_stage != Stage::Answering) events |= EPOLLIN;
    if (!m_hasEnded) events |= EPOLLRDHUP;
    if (m_sent < m_out.size()) events |= EPOLLOUT;
    return events;
}

void Connection::handle(uint32_t events) {
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) return enter(Stage::Over);
    if ((events & EPOLLIN) != 0)
        receive();
    else if ((events & EPOLLRDHUP) != 0)
        m_hasEnded = true;
    advance();
    const bool isIncomplete = m_stage == Stage::Head || m_stage == Stage::Body;
    if (m_hasEnded && (isIncomplete || m_stage == Stage::Draining) && (events & EPOLLIN) != 0) {
        // All that came has been read when the last read came to the end.
        char byte = 0;
        if (::recv(fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) enter(Stage::Over);
    }
}

void Connection::receive() {
    std::array<char, kBlockBytes> buffer;
    for (size_t reads = 0; reads < kMostReads && m_stage != Stage::Answering; ++reads) {
        const ssize_t count = ::recv(fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (count < 0) {
            if (errno != EAGAIN && errno != EINTR) enter(Stage::Over);
            return;
        }
        if (count == 0) {
            m_hasEnded = true;
            return;
        }
        if (m_stage == Stage::Draining) continue;
        if (m_in.empty() && m_stage == Stage::Head && !m_hasBegun) {
            m_since = Clock::now();
            m_hasBegun = true;
        }
        m_in.append(buffer.data(), static_cast<size_t>(count));
        advance();
    }
}

void Connection::advance() {
    bool goesOn = true;
    while (goesOn) {
        switch (m_stage) {
            case Stage::Head:
                goesOn = readHead();
                break;
            case Stage::Body:
                goesOn = readBody();
                break;
            case Stage::Answering:
                goesOn = writeAnswer();
                break;
            default:
                goesOn = false;
        }
    }
}

bool Connection::readHead() {
    // One empty line may come before a request (RFC 9112, 2.2).
    if (m_scanner.end() == 0 && !m_hasSkippedLine && m_in.starts_with("\r\n")) {
        m_in.erase(0, 2);
        m_hasSkippedLine = true;
    }
    if (m_in.empty()) {
        std::string().swap(m_in);  // frees its room, as an assignment would not
        return false;
    }
    const HeadScanner::Found found = m_scanner.scan(m_in);
    const size_t most = kMostHeadBytesPerHeaderByte * m_terms.limits.headerBytes;
    const bool isTooLong = std::min(m_scanner.end(), m_in.size()) > most;
    if (found == HeadScanner::Found::Nothing && !isTooLong) return false;
    m_head = {};
    m_isHead = false;
    m_hasAsked = true;
    const Response tooLong = refusal(431, "The headers of the request are too long.", "headers_too_large");
    if (found == HeadScanner::Found::Malformed) {
        refuseAndClose(
            refusal(400, "The request has a NUL, or a line without its CR LF.", "malformed_header"));
        return true;
    }
    if (isTooLong) {
        refuseAndClose(tooLong);
        return true;
    }
    auto head = http::readHead(std::string_view(m_in).substr(0, m_scanner.end()));
    m_in.erase(0, m_scanner.end());
    m_scanner.reset();
    if (!head) {
        refuseAndClose(std::move(head.error()));
        return true;
    }
    m_head = std::move(*head);
    m_isHead = m_head.request.method == "HEAD";
    m_refusal = m_terms.gate(m_head.request);
    if (!m_refusal && headerBytes(m_head.request) > m_terms.limits.headerBytes) m_refusal = tooLong;
    m_body = m_head.isChunked ? BodyReader::ofChunks() : BodyReader::ofLength(m_head.length);
    m_share = BodyBudget::Share(m_terms.limits.allBodies);
    m_received = 0;
    enter(Stage::Body);
    if (m_head.expectsContinue && m_in.empty() && m_body.state() != BodyReader::State::Whole) {
        if (m_refusal) {
            refuseAndClose(std::move(*m_refusal));
            return true;
        }
        m_out += "HTTP/1.1 100 Continue\r\n\r\n";
        if (!flush() && m_stage == Stage::Over) return false;
    }
    return true;
}

bool Connection::readBody() {
    std::string_view bytes = m_in;
    while (m_body.state() == BodyReader::State::Unfinished && m_stage == Stage::Body) {
        const std::string_view taken = m_body.take(bytes);
        if (taken.empty() && m_body.state() == BodyReader::State::Unfinished) break;
        keepBody(taken);
    }
    if (m_stage != Stage::Body) return true;
    m_in.erase(0, m_in.size() - bytes.size());
    switch (m_body.state()) {
        case BodyReader::State::Unfinished:
            return false;
        case BodyReader::State::Malformed:
            refuseAndClose(refusal(400, "A chunk of the request's body is malformed.", "malformed_chunk"));
            return true;
        default:
            break;
    }
    if (m_refusal)
        refuse(std::move(*m_refusal));
    else if (m_received > m_terms.limits.bodyBytes)
        refuse(refusal(413, "The request is too long.", "request_too_large"));
    else
        hand();
    return true;
}

void Connection::keepBody(std::string_view bytes) {
    m_received += bytes.size();
    // Who is answered before the body's end may never read why; one that does not end is cut off.
    if (m_received > 2 * m_terms.limits.bodyBytes) return enter(Stage::Over);
    std::string& body = m_head.request.body;
    if (!m_refusal && m_received <= m_terms.limits.bodyBytes) {
        if (m_share.growTo(m_received)) {
            body.append(bytes);
            return;
        }
        m_refusal = refusal(503, "Other long requests are under way.", "bodies_full");
        m_refusal->headers.emplace_back("Retry-After", "1");
    }
    body = {};  // it is dropped as it comes
    m_share.release();
}

void Connection::hand() {
    m_exchange = std::make_shared<Exchange>(std::move(m_head.request), m_terms.limits.unreadBytes, m_wake,
                                            std::move(m_share));
    enter(Stage::Answering);
    m_terms.handler(m_exchange);
}

void Connection::refuse(Response response) {
    enter(Stage::Answering);
    queue(response, true);
    m_isEnd = true;
}

void Connection::refuseAndClose(Response response) {
    m_head.keepsOpen = false;
    std::string().swap(m_in);
    refuse(std::move(response));
}

void Connection::queue(const Response& response, bool isWhole) {
    m_isChunked = !isWhole && !m_head.isOld;
    if (!isWhole && m_head.isOld) m_head.keepsOpen = false;  // its end is the connection's
    auto out = std::back_inserter(m_out);
    fmt::format_to(out, "HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status, phraseOf(response.status),
                   dateNow());
    for (const auto& [name, value] : response.headers) fmt::format_to(out, "{}: {}\r\n", name, value);
    if (!m_head.keepsOpen)
        m_out += "Connection: close\r\n";
    else if (m_head.isOld)
        m_out += "Connection: keep-alive\r\n";
    const bool hasBody = response.status != 204;
    if (m_isChunked)
        m_out += "Transfer-Encoding: chunked\r\n";
    else if (isWhole && hasBody)
        fmt::format_to(out, "Content-Length: {}\r\n", response.body.size());
    m_out += "\r\n";
    if (isWhole && hasBody && !m_isHead) m_out += response.body;
}

void Connection::queuePiece(std::string_view bytes) {
    if (m_isHead || bytes.empty()) return;
    if (!m_isChunked) {
        m_out += bytes;
        return;
    }
    fmt::format_to(std::back_inserter(m_out), "{:x}\r\n", bytes.size());
    m_out.append(bytes).append("\r\n");
}

bool Connection::writeAnswer() {
    while (true) {
        if (!flush()) return false;
        if (m_isEnd) break;
        Exchange::Taken taken = m_exchange->take(kBlockBytes);
        if (taken.isGone) {
            enter(Stage::Over);
            return false;
        }
        if (taken.response) queue(*taken.response, taken.isWhole);
        queuePiece(taken.bytes);
        m_isEnd = taken.isEnd;
        if (m_isEnd && m_isChunked && !m_isHead) m_out += "0\r\n\r\n";
        if (m_out.empty() && !m_isEnd) return false;
    }
    if (m_exchange) m_exchange->completed(true);
    m_exchange.reset();
    m_isEnd = m_isChunked = false;
    m_refusal.reset();
    if (m_head.keepsOpen) {
        enter(Stage::Head);
        return true;
    }
    // Closed at once, what the client still sends would take the answer away from it (RFC 9112, 9.6).
    ::shutdown(fd(), SHUT_WR);
    enter(m_hasEnded ? Stage::Over : Stage::Draining);
    return false;
}

bool Connection::flush() {
    while (m_sent < m_out.size()) {
        const ssize_t count =
            ::send(fd(), m_out.data() + m_sent, m_out.size() - m_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0) {
            if (errno == EINTR) continue;
            if (errno != EAGAIN) enter(Stage::Over);
            return false;
        }
        m_sent += static_cast<size_t>(count);
        m_since = Clock::now();
    }
    m_sent = 0;
    if (m_out.capacity() > kBlockBytes * 2)
        std::string().swap(m_out);
    else
        m_out.clear();
    return true;
}

void Connection::enter(Stage stage) {
    m_stage = stage;
    m_hasBegun = m_hasSkippedLine = false;
    m_since = Clock::now();
}

void Connection::look(Clock::time_point now) {
    const Limits& limits = m_terms.limits;
    const auto passed = now - m_since;
    switch (m_stage) {
        case Stage::Head: {
            // Who has asked may be slow to ask again, but not in the middle.
            const bool isKept = m_hasAsked && !m_hasBegun;
            if (passed > (isKept ? limits.idle : std::min(limits.head, limits.idle))) enter(Stage::Over);
            break;
        }
        case Stage::Body:
            if (passed > limits.idle) enter(Stage::Over);
            break;
        case Stage::Answering: {
            const bool isUnread = m_sent < m_out.size() && passed > limits.idle;
            const bool isGone = m_isMissed && m_exchange && !m_exchange->hasEnded();
            if (isUnread || isGone) lose();
            break;
        }
        default:
            if (passed > kMostDraining) enter(Stage::Over);
    }
    m_isMissed = m_hasEnded;
}

bool Connection::isWaiting(Clock::duration silent) const {
    if (m_stage != Stage::Head || (m_in.empty() && Clock::now() - m_since < silent)) return false;
    char byte = 0;
    return ::recv(fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
}

void Connection::turnAway() {
    Response response = refusal(503, "Too many connections are open.", "connections_full");
    response.headers.emplace_back("Retry-After", "1");
    refuseAndClose(std::move(response));
    advance();
}

void Connection::lose() {
    if (m_exchange) m_exchange->lose();
    enter(Stage::Over);
}

}  // namespace ingle::serve::http
