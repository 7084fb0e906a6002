/// xdg-dbus-proxy, which lets the window talk to some services of a bus and not to the others.
#pragma once

#include <string>
#include <vector>

#include "ingle/file_descriptor.h"

namespace ingle::brokers {

/// A variable of the environment; empty where there is none.
std::string environment(const char* name);

/// The program; empty: it is not installed.
std::string findBusProxy();
/// Where the session bus is; empty: there is none.
std::string sessionBusAddress();
/// Paths, and names in the abstract namespace that begin with a zero, of an address of D-Bus.
std::vector<std::string> socketsOf(const std::string& address);

enum class Bus { Session, Accessibility };

/// One that runs until this is destroyed.
class BusProxy {
  public:
    /// `socket`: the path of its own.
    BusProxy(Bus bus, const std::string& address, std::string socket);
    ~BusProxy();
    BusProxy(const BusProxy&) = delete;
    BusProxy& operator=(const BusProxy&) = delete;

    const std::string& socket() const { return m_socket; }
    /// Waits until it listens. False: it does not.
    bool isReady();

  private:
    std::string m_socket;
    FileDescriptor m_ready;
    bool m_isReady = false;
};

}  // namespace ingle::brokers
