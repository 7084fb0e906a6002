/// What hostile code would try that runs inside a process, each as one function.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

namespace ingle::sandbox::test {

/// What there is to be gained, and what the process was given.
struct World {
    std::string
        home;         ///< of the person: .ssh/id_rsa, .bashrc, history.sqlite, other.gguf, run/bus (a socket)
    std::string own;  ///< a folder that the process may write to
    std::string model;       ///< a file that it may read
    pid_t victim = 0;        ///< another process of the same person
    void* secret = nullptr;  ///< in the victim's memory, and readable here before the cage
    int port = 0;            ///< of a server on this computer
    std::string abstract;    ///< the name of an abstract socket that somebody listens on
};

/// What must allow a try: the kind of thing that a cage leaves or takes.
enum class Kind { Reading, Files, Programs, Pairs, Local, Internet, MemoryFiles, Shared, Kernel, Memory };

struct Try {
    Kind kind;
    const char* name;
    /// 0: gained; else the errno that refused it.
    int (*run)(const World& world);
};

std::span<const Try> allTries();

}  // namespace ingle::sandbox::test
