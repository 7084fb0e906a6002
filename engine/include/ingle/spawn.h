/// Starts other programs.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

namespace ingle {

/// How a program is started. It begins with no signals blocked, and SIGPIPE ends it.
struct Start {
    static constexpr int kOurs = -1;     ///< in place of a descriptor: the one of this process
    static constexpr int kNothing = -2;  ///< in place of a descriptor: /dev/null

    std::string program;                 ///< its path
    std::vector<std::string> arguments;  ///< without the program's name
    int input = kOurs, output = kOurs, errors = kOurs;
    bool isAlone = false;  ///< it inherits no other descriptor, no environment and no ignored signal
};

/// Starts programs, as children of this process, and ends them in its place, since it may not.
class Starter {
  public:
    virtual ~Starter() = default;
    virtual int start(const Start& start, pid_t& pid) = 0;
    virtual void end(pid_t pid) = 0;
};
/// Null: this process does it. Set before there is a second thread.
inline Starter* theStarter = nullptr;

/// Kills a child that nobody has waited for.
inline void endChild(pid_t pid) {
    if (theStarter)
        theStarter->end(pid);
    else
        ::kill(pid, SIGKILL);
}

/// Starts a process and stores its id in `pid`. Returns 0, or the errno of the failure.
inline int spawn(const Start& start, pid_t& pid) {
    if (theStarter) return theStarter->start(start, pid);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    const auto give = [&](int ours, int theirs) {
        if (ours == Start::kNothing)
            ::posix_spawn_file_actions_addopen(&actions, theirs, "/dev/null",
                                               theirs == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
        else if (ours != Start::kOurs)
            ::posix_spawn_file_actions_adddup2(&actions, ours, theirs);
    };
    give(start.input, STDIN_FILENO);
    give(start.output, STDOUT_FILENO);
    give(start.errors, STDERR_FILENO);
    if (start.isAlone) ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    if (start.isAlone) sigfillset(&usual);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &usual);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> arguments{const_cast<char*>(start.program.c_str())};
    for (const std::string& each : start.arguments) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    char* nothing = nullptr;
    const int error = ::posix_spawn(&pid, start.program.c_str(), &actions, &attributes, arguments.data(),
                                    start.isAlone ? &nothing : environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
}

}  // namespace ingle
