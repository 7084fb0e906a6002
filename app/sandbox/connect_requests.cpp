#include "app/sandbox/connect_requests.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/ioctl.h>

#include <cerrno>

namespace ingle::sandbox {

std::optional<ConnectRequest> nextConnectRequest(int requests) {
    // As long as this kernel's, which may be longer than what the headers know.
    seccomp_notif* told = nullptr;
    if (::seccomp_notify_alloc(&told, nullptr) != 0) return std::nullopt;
    std::optional<ConnectRequest> request;
    if (::seccomp_notify_receive(requests, told) == 0)
        request = ConnectRequest{told->id, static_cast<int>(told->data.args[0]), told->data.args[1],
                                 static_cast<uint32_t>(told->data.args[2])};
    ::seccomp_notify_free(told, nullptr);
    return request;
}

void answerConnect(int requests, const ConnectRequest& request, int error, int connected) {
    if (error == 0) {
        seccomp_notif_addfd file{};
        file.id = request.id;
        file.flags = SECCOMP_ADDFD_FLAG_SETFD;
        file.srcfd = static_cast<uint32_t>(connected);
        file.newfd = static_cast<uint32_t>(request.socket);
        file.newfd_flags = O_CLOEXEC;
        if (::ioctl(requests, SECCOMP_IOCTL_NOTIF_ADDFD, &file) < 0) error = errno;
    }
    seccomp_notif_resp* answer = nullptr;
    if (::seccomp_notify_alloc(nullptr, &answer) != 0) return;
    answer->id = request.id;
    answer->val = 0;
    answer->error = -error;
    answer->flags = 0;
    ::seccomp_notify_respond(requests, answer);
    ::seccomp_notify_free(nullptr, answer);
}

}  // namespace ingle::sandbox
