#include "app/sandbox/sandbox.h"

#include <seccomp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace ingle::sandbox {
namespace {

constexpr uint32_t kRefused = SCMP_ACT_ERRNO(EACCES);

// A domain other than AF_UNIX (bit 0) and AF_NETLINK (bit 4) has another bit set, or both of these, or none.
// Stated as masks because one rule may compare an argument only once, and because the kernel reads the
// domain as a 32-bit int: a plain comparison sees 64 bits and a garbage upper half would slip past it.
constexpr uint64_t kLowHalf = 0xffffffff;
constexpr uint64_t kAllowedBits = AF_UNIX | AF_NETLINK;
static_assert(AF_UNIX == 1 && AF_NETLINK == 16);

int refuseWhereMasked(scmp_filter_ctx filter, int call, uint64_t mask, uint64_t value) {
    const scmp_arg_cmp domain{0, SCMP_CMP_MASKED_EQ, mask, value};
    return seccomp_rule_add_array(filter, kRefused, call, 1, &domain);
}

int refuseOtherDomains(scmp_filter_ctx filter, int call) {
    for (uint64_t bit = 1; bit < kLowHalf; bit <<= 1) {
        if (bit & kAllowedBits) continue;
        if (const int code = refuseWhereMasked(filter, call, bit, bit); code != 0) return code;
    }
    if (const int code = refuseWhereMasked(filter, call, kLowHalf, kAllowedBits); code != 0) return code;
    return refuseWhereMasked(filter, call, kLowHalf, 0);
}

int fillAndLoad(scmp_filter_ctx filter) {
    // Calls of a foreign architecture (ia32, x32) have other numbers and could pass the rules below.
    if (const int code = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, kRefused); code != 0) return code;
    if (const int code = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1); code != 0) return code;
    for (const int call : {SCMP_SYS(socket), SCMP_SYS(socketpair)}) {
        if (const int code = refuseOtherDomains(filter, call); code != 0) return code;
    }
    // io_uring opens sockets without a system call that a filter sees.
    for (const int call : {SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register)}) {
        if (const int code = seccomp_rule_add(filter, kRefused, call, 0); code != 0) return code;
    }
    return seccomp_load(filter);
}

}  // namespace

Status denyInternetSockets() {
    const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                                   &seccomp_release);
    const int code = filter ? fillAndLoad(filter.get()) : -ENOMEM;
    if (code != 0) {
        return fail(ErrorCode::Device, "The kernel refused the filter that blocks internet access: {}.",
                    std::strerror(-code));
    }
    return {};
}

}  // namespace ingle::sandbox
