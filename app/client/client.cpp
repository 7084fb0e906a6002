#include "app/client/client.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ingle::client {
namespace {

using namespace std::chrono_literals;

constexpr auto kClosingLimit = 300ms;  // somebody is closing a window
constexpr auto kKillLimit = 1000ms;    // a driver may keep a killed process in the kernel

}  // namespace

Result<int64_t> Client::Link::start() {
    INGLE_TRY_ASSIGN(m_host, m_open());
    m_output = {};
    m_written = 0;
    m_inputEnded = false;
    return m_host->pid();
}

void Client::Link::send(std::string bytes) {
    m_output.erase(0, std::exchange(m_written, 0));
    m_output += bytes;
    write();
}

void Client::Link::write() {
    while (m_host && m_written < m_output.size()) {
        const ssize_t count =
            ::send(m_host->socket(), m_output.data() + m_written, m_output.size() - m_written, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        // A host that does not listen any more is about to end, which is noticed by itself.
        m_written = count < 0 ? m_output.size() : m_written + static_cast<size_t>(count);
    }
    std::string().swap(m_output);  // frees a long request's room, as an assignment would not
    m_written = 0;
}

void Client::Link::abandon() {
    if (!m_host) return;
    m_host->kill();
    m_dying.push_back(std::move(m_host));
}

Result<std::unique_ptr<Client>> Client::create(OpenHost open, Options options) {
    FileDescriptor wakeUp(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wakeUp.isOpen()) {
        return fail(ErrorCode::Io, "Cannot make a descriptor for the engine: {}.", std::strerror(errno));
    }
    return std::unique_ptr<Client>(new Client(std::move(open), std::move(options), std::move(wakeUp)));
}

Client::Client(OpenHost open, Options options, FileDescriptor wakeUp)
    : m_now(options.now ? options.now : [] { return std::chrono::steady_clock::now(); }),
      m_link(std::move(open)),
      m_supervisor(m_link, std::move(options)),
      m_wakeUp(std::move(wakeUp)),
      m_thread([this] {
          ::pthread_setname_np(::pthread_self(), "engine client");
          run();
      }) {}

Client::~Client() {
    {
        const std::scoped_lock lock(m_mutex);
        m_ending = true;
    }
    wake();
    m_thread.join();
}

void Client::add(Call call) {
    post([this, call = std::move(call)] { m_supervisor.add(call); });
}

void Client::cancel(protocol::RequestId id) {
    post([this, id] { m_supervisor.cancel(id); });
}

void Client::retain(protocol::Retain kept) {
    post([this, kept = std::move(kept)] { m_supervisor.retain(kept); });
}

void Client::protect() {
    post([this] { m_supervisor.protect(); });
}

void Client::restAfter(std::optional<std::chrono::milliseconds> idle) {
    post([this, idle] { m_supervisor.restAfter(idle); });
}

void Client::post(std::function<void()> task) {
    {
        const std::scoped_lock lock(m_mutex);
        m_tasks.push_back(std::move(task));
    }
    wake();
}

void Client::wake() {
    // Only a counter that is full already refuses, and that wakes as well.
    ::eventfd_write(m_wakeUp.get(), 1);
}

void Client::run() {
    for (;;) {
        wait();
        std::vector<std::function<void()>> tasks;
        {
            const std::scoped_lock lock(m_mutex);
            if (m_ending) break;
            tasks.swap(m_tasks);
        }
        for (const auto& task : tasks) task();
        m_link.write();
        readHost();
        std::erase_if(m_link.m_dying, [](const auto& host) { return host->takeEnd().has_value(); });
        m_supervisor.tick();
    }
    endHost();
}

void Client::wait() {
    std::vector<pollfd> watched{{m_wakeUp.get(), POLLIN, 0}};
    if (const Host* host = m_link.m_host.get()) {
        watched.push_back({host->endFd(), POLLIN, 0});
        const bool writes = m_link.m_written < m_link.m_output.size();
        const int events = (m_link.m_inputEnded ? 0 : POLLIN) | (writes ? POLLOUT : 0);
        // Without anything to wait for its end of file would be told again and again.
        if (events != 0) watched.push_back({host->socket(), static_cast<short>(events), 0});
    }
    for (const auto& host : m_link.m_dying) watched.push_back({host->endFd(), POLLIN, 0});
    int timeoutMs = -1;
    if (const auto deadline = m_supervisor.nextDeadline()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - m_now());
        timeoutMs = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000));
    }
    ::poll(watched.data(), watched.size(), timeoutMs);
    eventfd_t ignored = 0;
    ::eventfd_read(m_wakeUp.get(), &ignored);
}

void Client::readHost() {
    if (!m_link.m_host) return;
    // What a host said before its end counts, so its end is looked at first and told last.
    Host& host = *m_link.m_host;
    const bool hasEnded = host.waitForEnd(0ms);
    std::array<char, 64 * 1024> buffer;
    while (!m_link.m_inputEnded) {
        const ssize_t count = ::recv(host.socket(), buffer.data(), buffer.size(), 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (count <= 0) {
            m_link.m_inputEnded = true;
            if (!hasEnded) m_supervisor.closed();
            break;
        }
        m_supervisor.received({buffer.data(), static_cast<size_t>(count)});
        if (m_link.m_host.get() != &host) return;  // it was abandoned
        if (!hasEnded) break;                      // others are waited for as well
    }
    if (!hasEnded) return;
    const auto end = host.takeEnd();
    if (!end) return;
    m_link.m_host.reset();
    m_supervisor.ended(*end);
}

void Client::endHost() {
    if (m_link.m_host) {
        // At the end of its input the host ends in order: a model being loaded is then no death by a driver.
        m_link.m_host->closeInput();
        if (!m_link.m_host->waitForEnd(kClosingLimit)) m_link.m_host->kill();
        m_link.m_dying.push_back(std::move(m_link.m_host));
    }
    for (const auto& host : m_link.m_dying) {
        if (host->waitForEnd(kKillLimit)) host->takeEnd();
    }
}

}  // namespace ingle::client
