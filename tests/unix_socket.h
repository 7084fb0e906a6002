/// A client of a socket of the file system.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>

#include "ingle/file_descriptor.h"

namespace ingle::test {

/// Not open where nobody listens.
inline FileDescriptor connectTo(const std::string& path) {
    FileDescriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    if (::connect(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        return FileDescriptor();
    return made;
}

}  // namespace ingle::test
