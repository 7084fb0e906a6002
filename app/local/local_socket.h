/// The socket that a program listens on for this user's programs alone, and their way to it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::local {

/// Where the bridge listens when it is told nothing else.
inline constexpr std::string_view kBridgeSocket = "bridge.sock";

/// $XDG_RUNTIME_DIR/inglenook/NAME. Errors: InvalidArgument (there is no such variable).
Result<std::string> defaultSocketPath(std::string_view name);

/// Is there from listen() to the end of its life, unless the process is killed: then the next one replaces
/// it.
class LocalSocket {
  public:
    /// Makes the folder, readable by its owner only, where it is missing, and the socket the same. Errors:
    /// Io; InvalidArgument (a program listens there, something else is there, the folder is somebody else's).
    static Result<LocalSocket> listen(const std::string& path);
    LocalSocket(LocalSocket&&) = default;
    LocalSocket& operator=(LocalSocket&&) = delete;
    ~LocalSocket();

    int descriptor() const { return m_listening.get(); }
    /// For whoever accepts clients in place of accept().
    FileDescriptor takeDescriptor() { return std::move(m_listening); }
    const std::string& path() const { return m_path; }
    /// The next client; nothing when none waits, or it is another user's.
    std::optional<FileDescriptor> accept() const;

  private:
    LocalSocket(std::string path, FileDescriptor lock) : m_path(std::move(path)), m_lock(std::move(lock)) {}

    std::string m_path;
    FileDescriptor m_lock;  ///< of PATH.lock, as long as this listens
    FileDescriptor m_listening;
};

struct LocalPeer {
    pid_t pid = 0;          ///< of the program that listened
    FileDescriptor socket;  ///< not blocking
};
/// Errors: Io (nobody listens there, or another user's program).
Result<LocalPeer> connectTo(const std::string& path);

}  // namespace ingle::local
