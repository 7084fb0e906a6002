/// The client of the engine: keeps a host, asks it any number of things at once and brings every answer to
/// its end across crashes (see Supervisor). What the window is built on, and every other front end.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/client/call.h"
#include "app/client/host.h"
#include "app/client/supervisor.h"
#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::client {

/// Any thread may call everything, handlers too; nothing waits. Handlers and notices run on the client's own
/// thread, or where Options::execute brings them. The host is opened by the first request.
class Client {
  public:
    /// Errors: Io, when the system has no descriptor left.
    static Result<std::unique_ptr<Client>> create(OpenHost open, Options options);
    /// Ends the host, which gets a moment to do so in order. Requests that are not finished are forgotten:
    /// their handlers are not called any more. Not from a handler.
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Asks the host; R is a request of app/protocol/messages.h. Returns the request's name for cancel().
    template <typename R>
    protocol::RequestId send(R request, Handlers<R> handlers) {
        const protocol::RequestId id = m_supervisor.newId();
        add(makeCall<R>(id, std::move(request), std::move(handlers)));
        return id;
    }
    /// Ends a generation, a scoring or a reading within a step, an import within a MiB, a count or a look at
    /// files at once, or a request that the host has not got yet.
    void cancel(protocol::RequestId id);
    /// Tells which conversations and documents there are, now and to every later host: what is kept on disk
    /// for others goes.
    void retain(protocol::Retain kept);
    /// Before anything of a private chat is sent: the host, now and whenever it is started again, keeps its
    /// memory out of dumps.
    void protect();
    /// See Supervisor::restAfter().
    void restAfter(std::optional<std::chrono::milliseconds> idle);
    /// Looks at Options::now again; for clocks that do not run by themselves.
    void wake();

  private:
    /// The process as the supervisor sees it.
    class Link final : public HostLink {
      public:
        explicit Link(OpenHost open) : m_open(std::move(open)) {}
        Result<int64_t> start() override;
        void send(std::string bytes) override;
        void abandon() override;

        /// Writes as much as the socket takes.
        void write();

        const OpenHost m_open;
        std::unique_ptr<Host> m_host;
        std::vector<std::unique_ptr<Host>> m_dying;  ///< killed, not gone yet
        std::string m_output;
        size_t m_written = 0;  ///< of m_output
        bool m_inputEnded = false;
    };

    Client(OpenHost open, Options options, FileDescriptor wakeUp);
    void add(Call call);
    void post(std::function<void()> task);
    void run();
    void wait();
    void readHost();
    void endHost();

    const std::function<TimePoint()> m_now;
    Link m_link;
    Supervisor m_supervisor;  ///< the client's thread, but for newId()
    const FileDescriptor m_wakeUp;

    std::mutex m_mutex;
    std::vector<std::function<void()>> m_tasks;  ///< for the client's thread
    bool m_ending = false;

    std::thread m_thread;  ///< last: it uses all the others
};

}  // namespace ingle::client
