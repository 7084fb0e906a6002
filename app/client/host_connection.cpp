#include "app/client/host_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <utility>

#include "app/local/local_socket.h"
#include "ingle/error_ids.h"

namespace ingle::client {

Result<std::unique_ptr<HostConnection>> HostConnection::open(const std::string& path) {
    auto peer = local::connectTo(path);
    if (!peer) return tl::unexpected(withId<ErrorId::BridgeMissing>(std::move(peer).error()));
    return std::unique_ptr<HostConnection>(new HostConnection(peer->pid, std::move(peer->socket)));
}

void HostConnection::closeInput() {
    ::shutdown(m_socket.get(), SHUT_WR);
}

std::optional<HostEnd> HostConnection::takeEnd() {
    if (!waitForEnd(std::chrono::milliseconds(0))) return std::nullopt;
    m_socket = {};
    return HostEnd{};
}

bool HostConnection::waitForEnd(std::chrono::milliseconds limit) const {
    if (!m_socket.isOpen()) return true;
    pollfd closed{m_socket.get(), POLLRDHUP, 0};
    return ::poll(&closed, 1, static_cast<int>(limit.count())) == 1;
}

OpenHost connectedAt(std::string path) {
    return [path = std::move(path)]() -> Result<std::unique_ptr<Host>> {
        INGLE_TRY_ASSIGN(auto connection, HostConnection::open(path));
        return connection;
    };
}

}  // namespace ingle::client
