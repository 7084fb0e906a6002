/// The host as a child process: started with one end of a socket pair as its standard input and output,
/// watched through a process descriptor, never left behind as a zombie.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::client {

/// How to start the engine: a program (a path) and its arguments.
struct HostCommand {
    std::string program;
    std::vector<std::string> arguments;
};

/// How a process ended.
struct HostEnd {
    enum class How { Exit, Signal };
    How how = How::Exit;
    int code = 0;  ///< exit status, or number of the signal
};

/// One thread uses it. At the end of its life a process that still runs is killed; whether it is gone by then
/// is not waited for (a driver may keep it in the kernel), see takeEnd().
class HostProcess {
  public:
    /// Starts `command`; its standard error is ours. Errors: Io, when there is no such program or the system
    /// has no room for it.
    static Result<HostProcess> start(const HostCommand& command);
    HostProcess(HostProcess&&) = default;
    HostProcess& operator=(HostProcess&&) = default;
    ~HostProcess();

    pid_t pid() const { return m_pid; }
    /// Our end: a stream socket, not blocking, which may carry descriptors as well.
    int socket() const { return m_socket.get(); }
    /// Readable once the process has ended.
    int processFd() const { return m_process.get(); }

    /// The host reads the end of its input, which it takes as the order to end.
    void closeInput();
    void kill();
    /// How it ended, once it has; forgets the process then. Does not wait.
    std::optional<HostEnd> takeEnd();
    /// Waits until the process has ended, at most `limit`; false when it has not.
    bool waitForEnd(std::chrono::milliseconds limit) const;

  private:
    HostProcess(pid_t pid, FileDescriptor socket, FileDescriptor process);

    pid_t m_pid = 0;
    FileDescriptor m_socket;
    FileDescriptor m_process;  ///< none: it was taken, or moved away
};

}  // namespace ingle::client
