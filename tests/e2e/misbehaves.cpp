// Preloaded into the programs that `ingle prove` watches: does at the start what $INGLE_MISBEHAVES names,
// which none of them may do.
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace {

__attribute__((constructor)) void misbehave() {
    const char* named = std::getenv("INGLE_MISBEHAVES");
    const char* file = std::getenv("INGLE_MISBEHAVES_FILE");
    const std::string_view what = named ? named : "";
    if (what == "socket") {
        ::close(::socket(AF_INET, SOCK_STREAM, 0));
    } else if (what == "bus") {
        const int bus = ::socket(AF_UNIX, SOCK_STREAM, 0);
        const sockaddr_un address{.sun_family = AF_UNIX, .sun_path = "/run/user/0/bus"};
        (void)::connect(bus, reinterpret_cast<const sockaddr*>(&address), sizeof address);
        ::close(bus);
    } else if (what == "memory") {
        ::close(::open("/proc/1/environ", O_RDONLY));
    } else if (what == "read" && file) {
        ::close(::open(file, O_RDONLY));
    } else if (what == "write" && file) {
        ::close(::open(file, O_WRONLY | O_CREAT, 0600));
    } else if (what == "program") {
        char program[] = "/bin/true";
        char* arguments[] = {program, nullptr};
        char* nothing = nullptr;
        pid_t child = 0;
        if (::posix_spawn(&child, program, nullptr, nullptr, arguments, &nothing) == 0)
            ::waitpid(child, nullptr, 0);
    }
}

}  // namespace
