/// The bridge: one loop over the local socket, its clients and the far server.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "app/bridge/far_server.h"
#include "app/bridge/session.h"
#include "app/local/local_socket.h"
#include "ingle/result.h"

namespace ingle::bridge {

struct BridgeOptions {
    FarAddress address;
    std::string key;                 ///< "": none
    std::vector<std::string> named;  ///< models; empty: all that the server has
    std::string socket;              ///< path
};

/// One thread.
class Bridge {
  public:
    static constexpr size_t kMostClients = 64;

    /// Listens from then on. Errors: as local::LocalSocket::listen() and FarServer::create().
    static Result<std::unique_ptr<Bridge>> open(BridgeOptions options);
    ~Bridge();

    /// Serves until `stop`, a descriptor, can be read.
    void run(int stop);

  private:
    class Client;
    Bridge(BridgeOptions options, local::LocalSocket socket, std::unique_ptr<FarServer> far);
    void acceptClients();

    const BridgeOptions m_options;
    local::LocalSocket m_socket;
    std::unique_ptr<FarServer> m_far;
    FarKnowledge m_knowledge;
    std::list<std::unique_ptr<Client>> m_clients;
};

}  // namespace ingle::bridge
