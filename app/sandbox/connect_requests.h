/// What a caged process with Sockets::Asked wants to connect to: the kernel holds its connect() until
/// somebody answers.
#pragma once

#include <cstdint>
#include <optional>

namespace ingle::sandbox {

struct ConnectRequest {
    uint64_t id = 0;
    int socket = -1;       ///< in the process that asks
    uint64_t address = 0;  ///< in its memory
    uint32_t length = 0;
};

/// Waits for one. Nothing: it has been taken back.
std::optional<ConnectRequest> nextConnectRequest(int requests);
/// `error`: 0, or the errno that connect() fails with. `connected` takes the place of the asking socket; it
/// was made and connected here, because the process that asks could change the address meanwhile.
void answerConnect(int requests, const ConnectRequest& request, int error, int connected);

}  // namespace ingle::sandbox
