/// The sockets that the server listens on.
#pragma once

#include <cstdint>
#include <string>

#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::serve {

/// $XDG_RUNTIME_DIR/inglenook/serve.sock. Errors: InvalidArgument, when there is no such folder.
Result<std::string> defaultSocketPath();

/// A socket that only its owner may open (0600), in a folder that is made (0700) if it is missing. One that a
/// server left behind is replaced. Errors: Io; InvalidArgument, when a server listens there, or the path is
/// too long.
Result<FileDescriptor> listenOnPath(const std::string& path);

/// Takes the socket at a path away at the end of its life.
class SocketPath {
  public:
    explicit SocketPath(std::string path) : m_path(std::move(path)) {}
    ~SocketPath() { ::unlink(m_path.c_str()); }
    SocketPath(const SocketPath&) = delete;
    SocketPath& operator=(const SocketPath&) = delete;

  private:
    const std::string m_path;
};

struct Address {
    std::string host;   ///< a number: "127.0.0.1", "::1", "0.0.0.0"
    uint16_t port = 0;  ///< 0: any that is free
    bool isLoopback = false;
};
/// "8080", "127.0.0.1:8080", "[::1]:8080". Errors: InvalidArgument.
Result<Address> readAddress(const std::string& text);

struct NetworkListener {
    FileDescriptor socket;
    uint16_t port = 0;
};
/// Errors: Io.
Result<NetworkListener> listenOn(const Address& address);

}  // namespace ingle::serve
