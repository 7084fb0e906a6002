/// A far server on 127.0.0.1, which answers as a test says.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "ingle/file_descriptor.h"

namespace ingle::test {

struct FarRequest {
    std::string method, path, headers, body;
    nlohmann::json json() const { return nlohmann::json::parse(body); }
};

/// A connection to the bridge, as the server has it. Closed at the end of its life.
class FarConnection {
  public:
    explicit FarConnection(FileDescriptor socket) : m_socket(std::move(socket)) {
        const int yes = 1;  // each word goes when it is there
        EXPECT_EQ(::setsockopt(m_socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), 0);
    }

    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t count = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count <= 0) return;
            bytes.remove_prefix(static_cast<size_t>(count));
        }
    }
    /// A whole answer.
    void answer(int status, const std::string& body, const std::string& headers = {}) const {
        send(fmt::format(
            "HTTP/1.1 {} Whatever\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}\r\n{}",
            status, body.size(), headers, body));
    }
    /// Begins a stream; its chunks follow, and the end is chunk("").
    void beginStream() const {
        send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    }
    void chunk(const std::string& bytes) const { send(fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes)); }
    void delta(const std::string& text) const {
        chunk("data: " + nlohmann::json{{"choices", {{{"delta", {{"content", text}}}}}}}.dump() + "\n\n");
    }
    void finish(const std::string& reason = "stop", uint32_t promptTokens = 5, uint32_t newTokens = 2) const {
        chunk(fmt::format("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{}\"}}]}}\n\n", reason));
        chunk(fmt::format(
            "data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":{},\"completion_tokens\":{}}}}}\n\n",
            promptTokens, newTokens));
        chunk("data: [DONE]\n\n");
        chunk("");
    }
    /// Waits five seconds at most for the bridge to close it.
    bool isClosed() const {
        pollfd ready{m_socket.get(), POLLIN | POLLRDHUP, 0};
        char byte = 0;
        return ::poll(&ready, 1, 5000) == 1 && ::recv(m_socket.get(), &byte, 1, 0) <= 0;
    }
    /// The next request; nothing when the bridge has closed the connection.
    bool read(FarRequest& request) {
        size_t end = 0;
        while ((end = m_buffer.find("\r\n\r\n")) == std::string::npos)
            if (!fill()) return false;
        request.headers = m_buffer.substr(0, end + 2);
        m_buffer.erase(0, end + 4);
        const size_t space = request.headers.find(' ');
        request.method = request.headers.substr(0, space);
        request.path = request.headers.substr(space + 1, request.headers.find(' ', space + 1) - space - 1);
        size_t length = 0;
        if (const size_t at = request.headers.find("Content-Length: "); at != std::string::npos)
            length = std::stoul(request.headers.substr(at + 16));
        while (m_buffer.size() < length)
            if (!fill()) return false;
        request.body = m_buffer.substr(0, length);
        m_buffer.erase(0, length);
        return true;
    }
    int descriptor() const { return m_socket.get(); }

  private:
    bool fill() {
        char bytes[65536];
        const ssize_t count = ::recv(m_socket.get(), bytes, sizeof bytes, 0);
        if (count <= 0) return false;
        m_buffer.append(bytes, static_cast<size_t>(count));
        return true;
    }

    FileDescriptor m_socket;
    std::string m_buffer;
};

/// Each connection has a thread. What the handler leaves open is asked again; false closes it.
class FakeFar {
  public:
    using Handler = std::function<bool(const FarConnection&, const FarRequest&)>;

    explicit FakeFar(Handler handler) : m_handler(std::move(handler)) {
        m_listening = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(m_listening.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
        EXPECT_EQ(::listen(m_listening.get(), 16), 0);
        EXPECT_EQ(::getsockname(m_listening.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
        m_port = ntohs(address.sin_port);
        m_acceptor = std::thread([this] { acceptAll(); });
    }
    ~FakeFar() { stop(); }
    /// Nobody listens from then on, and whatever is under way breaks.
    void stop() {
        if (!m_acceptor.joinable()) return;
        ::shutdown(m_listening.get(), SHUT_RDWR);
        m_acceptor.join();
        {
            const std::scoped_lock lock(m_mutex);
            for (const int descriptor : m_open) ::shutdown(descriptor, SHUT_RDWR);
        }
        for (std::thread& thread : m_threads) thread.join();
        m_listening = FileDescriptor();
    }

    std::string url() const { return fmt::format("http://127.0.0.1:{}/v1", m_port); }
    std::string host() const { return fmt::format("127.0.0.1:{}", m_port); }
    std::vector<FarRequest> requests() const {
        const std::scoped_lock lock(m_mutex);
        return m_requests;
    }

  private:
    void acceptAll() {
        for (;;) {
            FileDescriptor socket(::accept4(m_listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!socket.isOpen()) return;
            {
                const std::scoped_lock lock(m_mutex);
                m_open.push_back(socket.get());
            }
            m_threads.emplace_back([this, socket = std::make_shared<FileDescriptor>(std::move(socket))] {
                serve(std::move(*socket));
            });
        }
    }
    void serve(FileDescriptor socket) {
        const int descriptor = socket.get();
        FarConnection connection(std::move(socket));
        FarRequest request;
        while (connection.read(request)) {
            {
                const std::scoped_lock lock(m_mutex);
                m_requests.push_back(request);
            }
            if (!m_handler(connection, request)) break;
        }
        const std::scoped_lock lock(m_mutex);
        std::erase(m_open, descriptor);
    }

    const Handler m_handler;
    FileDescriptor m_listening;
    uint16_t m_port = 0;
    mutable std::mutex m_mutex;
    std::vector<FarRequest> m_requests;
    std::vector<int> m_open;
    std::vector<std::thread> m_threads;  ///< of the acceptor, until it is joined
    std::thread m_acceptor;
};

inline constexpr const char* kModels =
    R"({"data":[{"id":"small","max_model_len":4096,"owned_by":"vllm"},{"id":"large"},{"name":"none"}]})";

/// Answers /models, and leaves all else to `handler`.
inline FakeFar::Handler withModels(FakeFar::Handler handler) {
    return [handler = std::move(handler)](const FarConnection& connection, const FarRequest& request) {
        if (request.path != "/v1/models") return handler(connection, request);
        connection.answer(200, kModels);
        return true;
    };
}

inline bool refuseAll(const FarConnection& connection, const FarRequest&) {
    connection.answer(500, "");
    return true;
}

inline std::vector<FarRequest> chatsOf(const FakeFar& far) {
    auto requests = far.requests();
    std::erase_if(requests, [](const FarRequest& request) { return request.path != "/v1/chat/completions"; });
    return requests;
}

}  // namespace ingle::test
