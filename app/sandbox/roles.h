/// Who may do what: one table for all processes of Inglenook.
#pragma once

#include <string>
#include <vector>

#include "app/sandbox/cage.h"

namespace ingle::sandbox {

/// The processes that are caged by the table. `ingle-documents` is not in it: allowOnlyComputing() leaves it
/// less.
enum class Role : uint8_t {
    Engine,       ///< `ingle host`, and the commands of `ingle` that compute
    Broker,       ///< beside an engine: opens the files that were named to it, and starts what follows here
    DriverTrial,  ///< `ingle host --probe-devices`
    Import,       ///< writes a model as another file, for the window
    Typesetter,   ///< `inglenook-typeset`
    ServeFront,   ///< `ingle-serve`
    Bridge,       ///< `ingle-bridge`
    Window,       ///< `inglenook`, with its brokers (app/brokers)
    OpenWindow,   ///< `inglenook` where the computer lacks what these need
};

/// Which files, beside those of the system's programs (code, fonts, time zones) and this program's own.
enum class Files : uint8_t {
    All,    ///< the kernel does not restrict them
    Given,  ///< those that are given at the start
    Read,   ///< the same, and it may read all files but those of other processes and of devices
};

struct Rule {
    Role role;
    Files files;
    bool usesGraphics;  ///< also opens graphics drivers and their devices
    Sockets sockets;
    Programs programs;
    Calls calls;
    bool isDumpable;
};

/// A process and what it may do.
// clang-format off
inline constexpr Rule kRules[] = {
    // role             files         graphics new sockets          programs        calls           dumpable
    {Role::Engine,      Files::Given, true,    Sockets::None,       Programs::None, Calls::Drivers, true},
    {Role::Broker,      Files::All,   false,   Sockets::Pairs,      Programs::Any,  Calls::Few,     true},
    {Role::DriverTrial, Files::Given, true,    Sockets::None,       Programs::None, Calls::Drivers, true},
    {Role::Import,      Files::Given, false,   Sockets::None,       Programs::None, Calls::Few,     true},
    {Role::Typesetter,  Files::Given, false,   Sockets::None,       Programs::None, Calls::Few,     false},
    {Role::ServeFront,  Files::Given, false,   Sockets::Pairs,      Programs::Asked, Calls::Few,     false},
    {Role::Bridge,      Files::Given, false,   Sockets::Connecting, Programs::None, Calls::Few,     false},
    {Role::Window,      Files::Read,  true,    Sockets::Asked,      Programs::Asked, Calls::Toolkit, false},
    {Role::OpenWindow,  Files::All,   true,    Sockets::Local,      Programs::Any,  Calls::Desktop, true},
};
// clang-format on

/// What the process of a row is given when it starts.
struct Given {
    std::vector<std::string> readable;
    std::vector<std::string> writable;
};

const Rule& ruleOf(Role role);
/// As the table says.
Cage cageFor(Role role, Given given);

}  // namespace ingle::sandbox
