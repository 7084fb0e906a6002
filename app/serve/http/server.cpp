#include "app/serve/http/server.h"

#include <fmt/format.h>
#include <microhttpd.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace ingle::serve::http {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWatchInterval{200};
/// What has more headers than a connection has memory is answered by libmicrohttpd itself, in HTML.
constexpr size_t kMemoryPerHeaderByte = 4;

std::string lowered(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

/// What a name consists of (RFC 9110, 5.6.2): nothing else, no blank before the colon either (RFC 9112, 5.1).
bool isToken(std::string_view name) {
    static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || kMarks.find(c) != kMarks.npos;
    });
}

/// As they came.
struct HeaderReader {
    std::map<std::string, std::string> headers;  ///< names in small letters
    bool isSound = true;                         ///< names are names, and no value has a bare return

    /// A header that stands there twice counts as both, one behind the other (RFC 9110, 5.3).
    static MHD_Result add(void* reader, MHD_ValueKind, const char* name, const char* value) {
        auto& self = *static_cast<HeaderReader*>(reader);
        const std::string_view text = value == nullptr ? "" : value;
        self.isSound = self.isSound && isToken(name) && text.find_first_of("\r\n") == text.npos;
        const auto [at, isNew] = self.headers.try_emplace(lowered(name), text);
        if (!isNew) at->second.append(", ").append(text);
        return MHD_YES;
    }
};

int refuse(MHD_Connection* connection, const Response& refusal) {
    MHD_Response* response = MHD_create_response_from_buffer(
        refusal.body.size(), const_cast<char*>(refusal.body.data()),  // copied
        MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) return MHD_NO;
    for (const auto& [name, value] : refusal.headers)
        MHD_add_response_header(response, name.c_str(), value.c_str());
    const auto queued = MHD_queue_response(connection, static_cast<unsigned>(refusal.status), response);
    MHD_destroy_response(response);
    return queued;
}

Response refusalOf(int status, std::string_view message, std::string_view code) {
    return {.status = status,
            .body = fmt::format(R"({{"error":{{"message":"{}","type":"invalid_request_error",)"
                                R"("param":null,"code":"{}"}}}})",
                                message, code),
            .headers = {{"Content-Type", "application/json"}}};
}

/// A proxy before this might take another length for the true one, and what is left of the body for a request
/// of somebody else (RFC 9112, 6.3 and 11.2). So it has at most one, said in the one way that everybody reads
/// alike, and no header might be another one. Nothing more is read of such a connection.
std::optional<Response> refusalOfFrame(const HeaderReader& read) {
    const auto length = read.headers.find("content-length");
    const auto encoding = read.headers.find("transfer-encoding");
    const bool hasLength = length != read.headers.end();
    const bool hasEncoding = encoding != read.headers.end();
    const bool isLength = hasLength && !length->second.empty() &&
                          length->second.find_first_not_of("0123456789") == std::string::npos;
    const bool isChunked = hasEncoding && lowered(encoding->second) == "chunked";
    // libmicrohttpd puts what is folded behind an empty value behind the name.
    const bool isFolded = std::ranges::any_of(read.headers, [](const auto& each) {
        const std::string& name = each.first;
        return (name.starts_with("content-length") || name.starts_with("transfer-encoding")) &&
               name != "content-length" && name != "transfer-encoding";
    });
    Response refusal;
    if (!read.isSound || isFolded)
        refusal = refusalOf(400, "A header of the request is malformed.", "malformed_header");
    else if ((hasLength && hasEncoding) || hasLength != isLength || hasEncoding != isChunked)
        refusal =
            refusalOf(400, "How long the request is was not said in one plain way.", "ambiguous_length");
    else
        return std::nullopt;
    refusal.headers.emplace_back("Connection", "close");
    return refusal;
}

size_t headerBytes(const Request& request) {
    size_t bytes = request.path.size();
    for (const auto& [name, value] : request.headers) bytes += name.size() + value.size();
    return bytes;
}

}  // namespace

struct Server::Connection {
    int fd = -1;
    Clock::time_point since;             ///< when it was opened, or its last request answered
    std::shared_ptr<Exchange> exchange;  ///< null: its request has not come whole
    bool hasEnded = false;               ///< the client said that it sends nothing more, one look ago
};

struct Server::Call {
    Connection* connection = nullptr;
    Request request;
    std::optional<Response> refusal;     ///< what the gate said
    size_t received = 0;                 ///< of the body
    std::shared_ptr<Exchange> exchange;  ///< null: the request has not come whole
};

struct Server::Callbacks {
    static MHD_Result access(void* server, MHD_Connection* connection, const char* url, const char* method,
                             const char*, const char* body, size_t* bodyBytes, void** state) {
        auto& self = *static_cast<Server*>(server);
        if (*state == nullptr) return begin(self, connection, url, method, state);
        return static_cast<MHD_Result>(
            self.receive(connection, *static_cast<Call*>(*state), body, *bodyBytes));
    }

    static MHD_Result begin(Server& self, MHD_Connection* connection, const char* url, const char* method,
                            void** state) {
        const auto* context = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        HeaderReader read;
        MHD_get_connection_values(connection, MHD_HEADER_KIND, &HeaderReader::add, &read);
        // At once: where the body ends is what is not known.
        if (const auto refusal = refusalOfFrame(read))
            return static_cast<MHD_Result>(refuse(connection, *refusal));
        auto call = std::make_unique<Call>();
        call->connection = static_cast<Connection*>(context->socket_context);
        call->request.method = method;
        call->request.path = url;
        call->request.headers = std::move(read.headers);
        call->refusal = self.m_gate(call->request);
        if (!call->refusal && headerBytes(call->request) > self.m_limits.headerBytes)
            call->refusal = refusalOf(431, "The headers of the request are too long.", "headers_too_large");
        {
            const std::scoped_lock lock(self.m_mutex);
            call->connection->since = Clock::now();  // so long its body may take
        }
        *state = call.release();
        return MHD_YES;
    }

    static void completed(void* server, MHD_Connection*, void** state, MHD_RequestTerminationCode code) {
        std::unique_ptr<Call> call(static_cast<Call*>(std::exchange(*state, nullptr)));
        if (call)
            static_cast<Server*>(server)->completed(std::move(call),
                                                    code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    }

    static void connection(void* server, MHD_Connection* connection, void** context,
                           MHD_ConnectionNotificationCode code) {
        auto& self = *static_cast<Server*>(server);
        const std::scoped_lock lock(self.m_mutex);
        if (code == MHD_CONNECTION_NOTIFY_STARTED) {
            const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
            auto* added = new Connection{.fd = info->connect_fd, .since = Clock::now(), .exchange = {}};
            self.m_connections.push_back(added);
            *context = added;
        } else {
            auto* ended = static_cast<Connection*>(std::exchange(*context, nullptr));
            self.m_connections.remove(ended);
            delete ended;
        }
    }

    /// Nothing of a request goes to a log.
    static void log(void*, const char*, va_list) {}
};

Server::Server(FileDescriptor listener, const Limits& limits, Gate gate, Handler handler)
    : m_limits(limits),
      m_gate(std::move(gate)),
      m_handler(std::move(handler)),
      m_listener(std::move(listener)) {}

Result<std::unique_ptr<Server>> Server::start(FileDescriptor listener, const Limits& limits, Gate gate,
                                              Handler handler) {
    std::unique_ptr<Server> server(
        new Server(std::move(listener), limits, std::move(gate), std::move(handler)));
    const auto idleSeconds = std::chrono::ceil<std::chrono::seconds>(limits.idle).count();
    server->m_daemon =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
                         nullptr, nullptr, &Callbacks::access, server.get(),    //
                         MHD_OPTION_EXTERNAL_LOGGER, &Callbacks::log, nullptr,  // first of all
                         MHD_OPTION_LISTEN_SOCKET, server->m_listener.get(),    //
                         MHD_OPTION_CONNECTION_LIMIT, limits.connections,       //
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, kMemoryPerHeaderByte * limits.headerBytes,  //
                         MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(idleSeconds),              //
                         MHD_OPTION_STRICT_FOR_CLIENT, 1,                                                //
                         MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,                                           //
                         MHD_OPTION_NOTIFY_CONNECTION, &Callbacks::connection, server.get(),             //
                         MHD_OPTION_NOTIFY_COMPLETED, &Callbacks::completed, server.get(), MHD_OPTION_END);
    if (server->m_daemon == nullptr) return fail(ErrorCode::Io, "The HTTP server cannot be started.");
    server->m_watcher = std::thread([raw = server.get()] { raw->watch(); });
    return server;
}

Server::~Server() {
    if (m_daemon == nullptr) return;
    std::vector<std::shared_ptr<Exchange>> waiting;
    {
        const std::scoped_lock lock(m_mutex);
        m_isEnding = true;
        for (const Connection* each : m_connections)
            if (each->exchange) waiting.push_back(each->exchange);
    }
    m_ends.notify_all();
    m_watcher.join();
    closeListener();
    // libmicrohttpd must not be stopped while anything is suspended.
    for (const auto& exchange : waiting) exchange->lose();
    MHD_stop_daemon(m_daemon);
}

void Server::closeListener() {
    if (!m_listener.isOpen()) return;
    MHD_quiesce_daemon(m_daemon);
    m_listener = {};
}

bool Server::isIdle() {
    const std::scoped_lock lock(m_mutex);
    return std::ranges::all_of(m_connections, [](const Connection* each) { return !each->exchange; });
}

int Server::receive(MHD_Connection* connection, Call& call, const char* body, size_t& bodyBytes) {
    if (call.exchange) return call.exchange->queueAnswer(call.exchange);
    if (bodyBytes > 0) {
        call.received += bodyBytes;
        // Who is answered before the body's end may never read why; one that does not end is cut off.
        if (call.received > 2 * m_limits.bodyBytes) return MHD_NO;
        const bool isWanted = !call.refusal && call.received <= m_limits.bodyBytes;
        if (isWanted) call.request.body.append(body, bodyBytes);
        bodyBytes = 0;
        return MHD_YES;
    }
    if (call.refusal) return refuse(connection, *call.refusal);
    if (call.received > m_limits.bodyBytes)
        return refuse(connection, refusalOf(413, "The request is too long.", "request_too_large"));
    hand(connection, call);
    return MHD_YES;
}

void Server::hand(MHD_Connection* connection, Call& call) {
    call.exchange = std::make_shared<Exchange>(std::move(call.request), m_limits.unreadBytes);
    {
        const std::scoped_lock lock(call.exchange->m_mutex);
        call.exchange->m_connection = connection;
        call.exchange->suspend();
    }
    bool isEnding = false;
    {
        const std::scoped_lock lock(m_mutex);
        call.connection->exchange = call.exchange;
        isEnding = m_isEnding;
    }
    if (isEnding) return call.exchange->lose();
    m_handler(call.exchange);
}

void Server::completed(std::unique_ptr<Call> call, bool isAllSent) {
    {
        const std::scoped_lock lock(m_mutex);
        call->connection->since = Clock::now();
        call->connection->exchange.reset();
    }
    if (call->exchange) call->exchange->completed(isAllSent);
}

void Server::watch() {
    std::unique_lock lock(m_mutex);
    while (!m_ends.wait_for(lock, kWatchInterval, [this] { return m_isEnding; })) {
        lock.unlock();
        lookAtConnections();
        lock.lock();
    }
}

void Server::lookAtConnections() {
    std::vector<std::shared_ptr<Exchange>> lost;
    {
        const std::scoped_lock lock(m_mutex);
        std::vector<pollfd> polled;
        const auto deadline = Clock::now() - m_limits.idle;
        for (const Connection* each : m_connections)
            polled.push_back({.fd = each->fd, .events = POLLRDHUP, .revents = 0});
        ::poll(polled.data(), polled.size(), 0);
        auto state = polled.begin();
        for (Connection* each : m_connections) {
            const bool hasEnded = (state++)->revents != 0;
            if (each->exchange) {
                if (hasEnded) lost.push_back(each->exchange);
            } else if (each->since < deadline || (hasEnded && each->hasEnded)) {
                // What has come of a request within one look is all that will come of it.
                ::shutdown(each->fd, SHUT_RDWR);
            }
            each->hasEnded = hasEnded;
        }
    }
    for (const auto& exchange : lost) exchange->lose();
}

}  // namespace ingle::serve::http
