/// Offline by force: after this call the kernel refuses every socket but AF_UNIX and AF_NETLINK, for this
/// process, all its threads and all its children.
#pragma once

#include "ingle/result.h"

namespace ingle::sandbox {

/// Installs a seccomp filter (no_new_privs, TSYNC): socket() and socketpair() with another family, and
/// io_uring_setup, fail with EACCES; foreign-architecture system calls (which could evade it) too. Call first
/// thing in main(). Errors: Device when the kernel refuses the filter.
Status denyInternetSockets();

}  // namespace ingle::sandbox
