/// The sockets of other programs that the window connects to: the kernel asks here, and a broker connects in
/// its place.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/brokers/brokers.h"
#include "app/brokers/bus_proxy.h"
#include "ingle/file_descriptor.h"

namespace ingle::brokers {

/// The broker's side.
class Connections {
  public:
    /// `memory`: the window's, from which addresses are read.
    Connections(const WindowTask& task, FileDescriptor memory);

    /// Answers one connect() of the window, of which the kernel told at `requests`.
    void answer(int requests);

    /// Ends what it started.
    void close();

    /// The socket to connect to in place of `name`, or nothing.
    std::optional<std::string> placeFor(const std::string& name);

  private:
    int connectTo(const std::string& name, FileDescriptor& connected) const;

    std::vector<std::string> m_direct;
    std::vector<std::string> m_directBeginnings;
    std::vector<std::string> m_sessionBus;
    std::vector<std::string> m_accessibility, m_accessibilityBeginnings;
    std::string m_proxyFolder;
    std::unique_ptr<BusProxy> m_session, m_readers;
    FileDescriptor m_memory;
};

}  // namespace ingle::brokers
