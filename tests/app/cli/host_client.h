/// Speaks the protocol with a host that runs in a child process.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <optional>
#include <string>

#include "app/protocol/framing.h"
#include "app/protocol/messages.h"

namespace ingle::cli {

class HostClient {
  public:
    /// Runs `host` (which does not return) in a child with the ends of its pipes.
    explicit HostClient(const std::function<void(int input, int output)>& host) {
        int toHost[2];
        int fromHost[2];
        EXPECT_EQ(::pipe(toHost), 0);
        EXPECT_EQ(::pipe(fromHost), 0);
        m_child = ::fork();
        if (m_child == 0) {
            ::close(toHost[1]);
            ::close(fromHost[0]);
            host(toHost[0], fromHost[1]);
            ::_exit(98);
        }
        ::close(toHost[0]);
        ::close(fromHost[1]);
        m_output = toHost[1];
        m_input = fromHost[0];
    }
    ~HostClient() {
        closeOutput();
        closeInput();
        if (m_child > 0) {
            ::kill(m_child, SIGKILL);
            ::waitpid(m_child, nullptr, 0);
        }
    }
    HostClient(const HostClient&) = delete;
    HostClient& operator=(const HostClient&) = delete;

    void sendLine(const std::string& line) { write(line + "\n"); }
    void send(protocol::RequestId id, protocol::RequestBody body) {
        write(protocol::frame(protocol::encode(protocol::Request{id, std::move(body)})).value());
    }
    void greet() {
        send(1, protocol::Hello{});
        EXPECT_TRUE(next<protocol::HelloOk>(1));
    }

    /// The next event; nothing when the host ended or was silent for ten seconds.
    std::optional<protocol::Event> next() {
        for (;;) {
            if (auto message = m_messages.next()) {
                EXPECT_TRUE(*message);
                auto event = protocol::decodeEvent(**message);
                EXPECT_TRUE(event) << **message;
                if (event) return *event;
                continue;
            }
            pollfd ready{m_input, POLLIN, 0};
            if (::poll(&ready, 1, 10'000) != 1) {
                ADD_FAILURE() << "the host is silent";
                return std::nullopt;
            }
            char buffer[4096];
            const ssize_t count = ::read(m_input, buffer, sizeof buffer);
            if (count <= 0) return std::nullopt;
            m_messages.append({buffer, static_cast<size_t>(count)});
        }
    }
    /// The next event, which must be a Body for this request.
    template <typename Body>
    std::optional<Body> next(protocol::RequestId id) {
        const auto event = next();
        if (!event) return std::nullopt;
        EXPECT_EQ(event->id, id) << protocol::encode(*event);
        const auto* body = std::get_if<Body>(&event->body);
        EXPECT_TRUE(body) << protocol::encode(*event);
        if (!body) return std::nullopt;
        return *body;
    }

    void closeOutput() { closeOnce(m_output); }
    void closeInput() { closeOnce(m_input); }
    pid_t child() const { return m_child; }

    /// Waits for the child: its exit status, or minus the signal that ended it.
    int exitStatus() {
        int status = 0;
        for (int waited = 0; waited < 10'000; ++waited) {
            if (::waitpid(m_child, &status, WNOHANG) == m_child) {
                m_child = 0;
                return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
            }
            ::usleep(1000);
        }
        ADD_FAILURE() << "the host does not end";
        return 97;
    }

  private:
    void write(const std::string& bytes) {
        EXPECT_EQ(::write(m_output, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    }
    static void closeOnce(int& fd) {
        if (fd >= 0) ::close(fd);
        fd = -1;
    }

    pid_t m_child = 0;
    int m_output = -1;
    int m_input = -1;
    protocol::MessageReader m_messages;
};

}  // namespace ingle::cli
