#include "app/brokers/brokers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "app/brokers/bus_proxy.h"
#include "app/brokers/connections.h"
#include "app/brokers/packet.h"
#include "app/brokers/programs.h"
#include "app/brokers/saver.h"
#include "app/sandbox/connect_requests.h"
#include "app/sandbox/roles.h"
#include "app/sandbox/secrecy.h"

namespace ingle::brokers {
namespace {

/// Starts programs and connects, until the window has gone.
[[noreturn]] void serve(const WindowTask& task, int socket, FileDescriptor memory) {
    Connections connections(task, std::move(memory));
    Programs programs(task.programs, socket);
    // The first thing that is told is where the kernel asks.
    const auto told = receive(socket);
    if (!told || told->files.size() != 1) ::_exit(0);
    const int requests = told->files[0].get();
    std::array<pollfd, 2> waits{{{socket, POLLIN, 0}, {requests, POLLIN, 0}}};
    for (;;) {
        if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
        if (waits[0].revents != 0 && !programs.answer()) break;
        if (waits[1].revents & POLLIN) connections.answer(requests);
        // Nobody is left who could ask.
        if (waits[1].revents & (POLLHUP | POLLERR)) waits[1].fd = -1;
    }
    // exit() would run what the window has to do at its end.
    connections.close();
    ::_exit(0);
}

/// All descriptors but the standard ones and these: a copy would keep sockets listening and files locked.
void closeOthers(std::vector<int> kept) {
    std::ranges::sort(kept);
    int next = STDERR_FILENO + 1;
    for (const int file : kept) {
        if (file < next) continue;
        if (file > next) ::close_range(static_cast<unsigned>(next), static_cast<unsigned>(file) - 1, 0);
        next = file + 1;
    }
    ::close_range(static_cast<unsigned>(next), ~0U, 0);
}

/// A copy of this process that does `work` with its end of a socket, as one of `role`, until nobody has the
/// other end. It keeps one more descriptor, unless that is -1. Nothing: there is none.
template <typename Work>
FileDescriptor startCopy(sandbox::Role role, int kept, const Work& work) {
    Ends ends = makeEnds();
    std::fflush(nullptr);
    const pid_t copy = ends.ours.isOpen() ? ::fork() : -1;
    if (copy < 0) return {};
    if (copy == 0) {
        // What ends the caged process is not for this one.
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
        closeOthers({ends.theirs.get(), kept});
        // Also what it starts leaves no core, which would hold what people write, and opens no way to the
        // internet.
        sandbox::keepOutOfDumps();
        if (sandbox::enter(sandbox::cageFor(role, {}))) work(ends.theirs.get());
        ::_exit(0);
    }
    return std::move(ends.ours);
}

Result<std::string> enterOpen(std::string why) {
    INGLE_TRY(sandbox::enter(sandbox::cageFor(sandbox::Role::OpenWindow, {})));
    return why;
}

}  // namespace

std::string lacking(const Means& means) {
    if (!means.hasLandlock) return "This kernel cannot restrict files (Landlock) or system calls (seccomp).";
    if (!means.asks) return "This kernel cannot ask about connections (notifications of seccomp).";
    if (means.hasBus && !means.hasProxy)
        return "The program xdg-dbus-proxy is not installed: code that took over the window could ask your "
               "session's programs for anything.";
    return {};
}

std::string lacking() {
    const sandbox::Enforced kernel = sandbox::enforceable();
    return lacking({.hasLandlock = kernel.sockets && kernel.landlock > 0,
                    .asks = sandbox::canAskForConnections(),
                    .hasBus = !sessionBusAddress().empty(),
                    .hasProxy = !findBusProxy().empty()});
}

Result<std::string> confineWindow(WindowTask task) {
    if (std::string why = lacking(); !why.empty()) return enterOpen(std::move(why));
    const std::string own = task.runtimeFolder + "/window";
    for (const std::string& folder : {task.runtimeFolder, own}) ::mkdir(folder.c_str(), S_IRWXU);
    FileDescriptor memory(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
    FileDescriptor savers = startCopy(sandbox::Role::OpenWindow, -1, &save);
    FileDescriptor broker = startCopy(sandbox::Role::OpenWindow, memory.get(),
                                      [&](int socket) { serve(task, socket, std::move(memory)); });
    memory = {};
    if (!savers.isOpen() || !broker.isOpen()) return enterOpen("There are too many processes.");
    std::vector<std::string> writable = std::move(task.writable);
    writable.push_back(own);
    const auto entered = sandbox::enter(
        sandbox::cageFor(sandbox::Role::Window, {.readable = {}, .writable = std::move(writable)}));
    // As in a container whose own filter asks somebody.
    if (!entered) return enterOpen(entered.error().message);
    const FileDescriptor requests(entered->connectRequests);
    send(broker.get(), "requests", {requests.get()});
    theStarter = starterAt(std::move(broker));
    io::useFileMaker(saverAt(std::move(savers)));
    // Qt's module for IBus asks the portal then, not IBus itself.
    ::setenv("IBUS_USE_PORTAL", "1", 0);
    return sandbox::lacking(*entered);
}

bool isHeld() {
    return theStarter != nullptr;
}

Status confineServer(Startable engine, sandbox::Given files) {
    FileDescriptor starter = startCopy(sandbox::Role::Broker, -1, [&](int socket) {
        Programs programs({std::move(engine)}, socket);
        while (programs.answer()) {
        }
    });
    if (!starter.isOpen()) return fail(ErrorCode::Io, "There are too many processes.");
    INGLE_TRY(sandbox::enter(sandbox::cageFor(sandbox::Role::ServeFront, std::move(files))));
    theStarter = starterAt(std::move(starter));
    return {};
}

}  // namespace ingle::brokers
