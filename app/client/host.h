/// A host as the client sees it: somebody at the other end of a socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "ingle/result.h"

namespace ingle::client {

/// How a process ended.
struct HostEnd {
    enum class How { Exit, Signal };
    How how = How::Exit;
    int code = 0;  ///< exit status, or number of the signal
};

/// One thread uses it.
class Host {
  public:
    virtual ~Host() = default;

    /// Of its process.
    virtual int64_t pid() const = 0;
    /// Our end: a stream socket, not blocking.
    virtual int socket() const = 0;
    /// Readable once the host has ended; -1: its socket tells that.
    virtual int endFd() const = 0;

    /// The host reads the end of its input, which it takes as the order to end.
    virtual void closeInput() = 0;
    /// It is not to say anything any more.
    virtual void kill() = 0;
    /// How it ended, once it has; forgets it then. Does not wait.
    virtual std::optional<HostEnd> takeEnd() = 0;
    /// Waits until it has ended, at most `limit`; false when it has not.
    virtual bool waitForEnd(std::chrono::milliseconds limit) const = 0;
};

using OpenHost = std::function<Result<std::unique_ptr<Host>>()>;

}  // namespace ingle::client
