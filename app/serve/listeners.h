/// The addresses that the server listens on.
#pragma once

#include <cstdint>
#include <string>

#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::serve {

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
