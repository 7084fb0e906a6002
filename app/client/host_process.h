/// The host as a child process: started with one end of a socket pair as its standard input and output,
/// watched through a process descriptor, never left behind as a zombie.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "app/client/host.h"
#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::client {

/// How to start the engine: a program (a path) and its arguments.
struct HostCommand {
    std::string program;
    std::vector<std::string> arguments;
};

/// At the end of its life a process that still runs is killed; whether it is gone by then is not waited for
/// (a driver may keep it in the kernel), see takeEnd().
class HostProcess final : public Host {
  public:
    /// Starts `command`; its standard error is ours. Errors: Io, when there is no such program or the system
    /// has no room for it.
    static Result<std::unique_ptr<HostProcess>> start(const HostCommand& command);
    HostProcess(const HostProcess&) = delete;
    HostProcess& operator=(const HostProcess&) = delete;
    ~HostProcess() override;

    int64_t pid() const override { return m_pid; }
    int socket() const override { return m_socket.get(); }
    int endFd() const override { return m_process.get(); }
    void closeInput() override;
    void kill() override;
    std::optional<HostEnd> takeEnd() override;
    bool waitForEnd(std::chrono::milliseconds limit) const override;

  private:
    HostProcess(pid_t pid, FileDescriptor socket, FileDescriptor process);

    pid_t m_pid = 0;
    FileDescriptor m_socket;
    FileDescriptor m_process;  ///< none: its end was taken
};

/// A host of its own for each.
OpenHost startedBy(HostCommand command);

}  // namespace ingle::client
