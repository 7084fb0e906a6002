// Preloaded into both programs by the end-to-end test: a while after the start, with their seccomp filter in
// place, it tries to open sockets and writes what happened to $INGLE_SOCKET_PROBE/<program>.
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

void* probe(void*) {
    ::usleep(1'500'000);
    char path[4096];
    std::snprintf(path, sizeof path, "%s/%s", std::getenv("INGLE_SOCKET_PROBE"),
                  program_invocation_short_name);
    std::FILE* file = std::fopen(path, "w");
    if (!file) return nullptr;
    for (const int family : {AF_UNIX, AF_INET, AF_INET6}) {
        const int fd = ::socket(family, SOCK_STREAM, 0);
        std::fprintf(file, "%d %d\n", family, fd >= 0 ? 0 : errno);
        if (fd >= 0) ::close(fd);
    }
    std::fclose(file);
    return nullptr;
}

__attribute__((constructor)) void start() {
    pthread_t thread;
    if (std::getenv("INGLE_SOCKET_PROBE")) ::pthread_create(&thread, nullptr, probe, nullptr);
}

}  // namespace
