/// Offline by force: what the kernel refuses this process, all its threads and all its children from now on.
#pragma once

#include "ingle/result.h"

namespace ingle::sandbox {

/// Installs a seccomp filter (no_new_privs, TSYNC): socket() and socketpair() with another family, and
/// io_uring_setup, fail with EACCES; foreign-architecture system calls (which could evade it) too. Call first
/// thing in main(). Errors: Device when the kernel refuses the filter.
Status denyInternetSockets();

/// For a process that reads what strangers wrote: everything fails with EACCES but reading, writing and
/// closing what is open, memory that is not executable, time, random numbers, and ending. So no file, socket,
/// process or thread can be made, and no other process can be reached. Foreign-architecture system calls end
/// the process. Errors: Device when the kernel refuses the filter.
Status allowOnlyComputing();

}  // namespace ingle::sandbox
