/// A host that runs already, and listens: the bridge.
#pragma once

#include <string>

#include "app/client/host.h"
#include "ingle/file_descriptor.h"

namespace ingle::client {

/// Ends with its connection; the program at the other end, which others may use, goes on.
class HostConnection final : public Host {
  public:
    /// Errors: Io (BridgeMissing), when nobody listens at `path`, or another user's program does.
    static Result<std::unique_ptr<HostConnection>> open(const std::string& path);

    int64_t pid() const override { return m_pid; }
    int socket() const override { return m_socket.get(); }
    int endFd() const override { return -1; }
    void closeInput() override;
    void kill() override { m_socket = {}; }
    std::optional<HostEnd> takeEnd() override;
    bool waitForEnd(std::chrono::milliseconds limit) const override;

  private:
    HostConnection(int64_t pid, FileDescriptor socket) : m_pid(pid), m_socket(std::move(socket)) {}

    int64_t m_pid = 0;
    FileDescriptor m_socket;  ///< none: it was left
};

/// A connection of its own for each.
OpenHost connectedAt(std::string path);

}  // namespace ingle::client
