/// What a caged process is refused and needs now and then, done by processes beside it: copies of it that
/// were made before it was caged (see docs/security.md). They parse nothing but what it asks for. Of engines
/// see app/cli/broker.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/sandbox/roles.h"
#include "ingle/result.h"

namespace ingle::brokers {

/// A program that may be started, as often as asked for.
struct Startable {
    std::string program;
    std::vector<std::string> arguments;
    bool takesName = false;  ///< and one more argument
};

struct WindowTask {
    std::vector<Startable> programs;
    std::vector<std::string> sockets;   ///< paths of sockets that the window connects to, as it names them
    std::string runtimeFolder;          ///< of Inglenook's sockets; the window's are in its "window"
    std::vector<std::string> writable;  ///< its own folders beside that
};

/// What a window is held with.
struct Means {
    bool hasLandlock = false;  ///< and filters of system calls
    bool asks = false;         ///< the kernel asks whether to connect
    bool hasBus = false;       ///< there is a session bus
    bool hasProxy = false;     ///< and something that filters it
};
std::string lacking(const Means& means);
/// Why this computer cannot hold a window, in a sentence; empty: it can. Where it has no session bus, nothing
/// filters one.
std::string lacking();

/// Starts the brokers and cages this process as the window. Afterwards ingle::spawn() and io::AtomicFile ask
/// them. Where that cannot be, it is caged as an open window. Before there is a second thread. Returns what
/// is lacking. Errors: Device.
Result<std::string> confineWindow(WindowTask task);

/// Whether this process was caged with brokers.
bool isHeld();

/// Cages this process as the server: it starts `engine` and nothing else. Errors: Io, Device.
Status confineServer(Startable engine, sandbox::Given files);

}  // namespace ingle::brokers
