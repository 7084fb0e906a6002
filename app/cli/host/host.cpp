#include "app/cli/host/host.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "app/cli/host/beside_engine.h"
#include "app/cli/host/bus_error.h"
#include "app/cli/host/event_queue.h"
#include "app/cli/host/imports.h"
#include "app/protocol/framing.h"
#include "app/sandbox/secrecy.h"
#include "ingle/devices.h"
#include "ingle/file_descriptor.h"
#include "ingle/version.h"

namespace ingle::cli {
namespace {

constexpr size_t kMaxWaitingEvents = 256;
constexpr size_t kMostInspections = 4;  // so many files may hang before others wait for them

std::string program() {
    return fmt::format("ingle {}", version());
}

/// An event as it travels. Metadata of a strange model file could make one too long.
std::string bytesFor(const protocol::Event& event) {
    auto bytes = protocol::frame(protocol::encode(event));
    if (bytes) return std::move(*bytes);
    return protocol::encode(protocol::Event{event.id, protocol::Failed{std::move(bytes).error()}}) + "\n";
}

/// The client is gone. The engine thread may be anywhere.
[[noreturn]] void endHost() {
    withdrawDeviceUses();
    ::_exit(0);
}

[[noreturn]] void writeEvents(int output, EventQueue& events) {
    for (;;) {
        const std::string bytes = bytesFor(events.pop());
        std::string_view rest = bytes;
        while (!rest.empty()) {
            const ssize_t written = ::write(output, rest.data(), rest.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) endHost();
            rest.remove_prefix(static_cast<size_t>(written));
        }
    }
}

/// What a look at a file gives.
template <typename Reply, typename T>
protocol::EventBody replyOr(Result<T> result) {
    if (!result) return protocol::Failed{std::move(result).error(), {}};
    return Reply{*std::move(result)};
}

// What answers a request of HostThread::Files, on any thread.

protocol::EventBody answer(const EngineSource& source, const protocol::Inspect& request) {
    return replyOr<protocol::Inspected>(source.inspect(request.path, request.options));
}

protocol::EventBody answer(const EngineSource& source, const protocol::Recognise& request) {
    return protocol::Recognised{source.recognise(request.paths, request.options)};
}

/// Reads requests and hands each to the thread that its facts name. One that nothing there answers does not
/// compile.
class RequestReader {
  public:
    RequestReader(int input, const EngineSource& source, EngineWorker& worker, EventQueue& events)
        : m_input(input),
          m_source(source),
          m_worker(worker),
          m_besideEngine(events, kMostInspections),
          m_imports(source.import, events),
          m_events(events) {}

    [[noreturn]] void run() {
        protocol::MessageReader messages;
        char buffer[64 * 1024];
        for (;;) {
            const ssize_t count = ::read(m_input, buffer, sizeof buffer);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) endHost();
            messages.append({buffer, static_cast<size_t>(count)});
            while (auto message = messages.next()) {
                if (*message) {
                    receive(**message);
                } else {
                    fail(0, std::move(*message).error());
                }
            }
        }
    }

  private:
    void receive(const std::string& message) {
        auto request = protocol::decodeRequest(message);
        if (!request) return fail(protocol::idOfRefused(message), std::move(request).error());
        const protocol::RequestId id = request->id;
        if (id == 0) return fail(0, {ErrorCode::InvalidArgument, "A request cannot have the id 0."});
        if (!m_greeted && !std::holds_alternative<protocol::Hello>(request->body)) {
            return fail(id, {ErrorCode::InvalidArgument, "The first request must be hello."});
        }
        std::visit(
            [&]<typename R>(R& body) {
                using protocol::HostThread;
                if constexpr (R::kFacts.thread == HostThread::Engine)
                    m_worker.enqueue(std::move(*request));
                else if constexpr (R::kFacts.thread == HostThread::Files)
                    m_besideEngine.enqueue(id, body.file(), [this, body] { return answer(m_source, body); });
                else if constexpr (R::kFacts.thread == HostThread::Import)
                    m_imports.enqueue(id, std::move(body));
                else
                    serve(id, body);
            },
            request->body);
    }

    void serve(protocol::RequestId id, const protocol::Hello& hello) {
        m_greeted = hello.version == protocol::kVersion;
        if (m_greeted) {
            m_events.push({id, protocol::HelloOk{protocol::kVersion, program()}});
        } else {
            fail(id,
                 {ErrorCode::Unsupported,
                  fmt::format("The client speaks version {} of the host protocol and {} speaks version {}: "
                              "Inglenook was updated; start it again.",
                              hello.version, program(), protocol::kVersion)});
        }
    }

    void serve(protocol::RequestId, const protocol::Cancel& cancel) {
        m_besideEngine.cancel(cancel.target);
        m_imports.cancel(cancel.target);
        m_worker.cancel(cancel.target);
    }

    void serve(protocol::RequestId id, const protocol::Protect&) {
        sandbox::keepOutOfDumps();
        m_events.push({id, protocol::Protected{}});
    }

    void fail(protocol::RequestId id, Error error) {
        m_events.push({id, protocol::Failed{std::move(error)}});
    }

    const int m_input;
    const EngineSource m_source;
    EngineWorker& m_worker;
    BesideEngine m_besideEngine;
    Imports m_imports;
    EventQueue& m_events;
    bool m_greeted = false;
};

/// Moves the standard stream `fd` to a descriptor of its own and leaves a copy of `replacement` in its place.
Result<int> takeOver(int fd, int replacement) {
    const int taken = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (taken < 0 || ::dup2(replacement, fd) < 0) {
        return ingle::fail(ErrorCode::Io, "Cannot take over file descriptor {}: {}.", fd,
                           std::strerror(errno));
    }
    return taken;
}

/// When memory runs out, the kernel is to end the host, which resumes, and not the window.
void volunteerForOutOfMemory() {
    const FileDescriptor file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
    constexpr std::string_view kScore = "500";
    // Without /proc the kernel's own choice stands.
    [[maybe_unused]] const ssize_t written = ::write(file.get(), kScore.data(), kScore.size());
}

}  // namespace

void serveHost(int input, int output, const HostOptions& options, EngineSource source) {
    EventQueue events(kMaxWaitingEvents);
    reportBusErrors(output);
    EngineWorker worker(source, events, options.pace);
    RequestReader reader(input, source, worker, events);
    // No thread ever ends before the process does, so nobody joins them.
    std::thread([&] { writeEvents(output, events); }).detach();
    std::thread([&] { reader.run(); }).detach();
    worker.run();
}

Result<HostEnds> takeStandardEnds() {
    // Drivers print to standard output: that must not reach the client.
    INGLE_TRY_ASSIGN(const int output, takeOver(STDOUT_FILENO, STDERR_FILENO));
    const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    INGLE_TRY_ASSIGN(const int input, takeOver(STDIN_FILENO, nothing.get()));
    std::signal(SIGPIPE, SIG_IGN);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // so that it still withdraws its uses of devices
    volunteerForOutOfMemory();
    return HostEnds{input, output};
}

}  // namespace ingle::cli
