/// System calls that a caged process is refused.
#pragma once

#include "app/sandbox/cage.h"

namespace ingle::sandbox {

/// Installs the filter for all threads. Whatever it refuses fails with EACCES. Returns a descriptor by which
/// the kernel asks about connections, or -1. Errors: Device when the kernel refuses the filter.
Result<int> filterCalls(Sockets sockets, Programs programs, Calls calls);

}  // namespace ingle::sandbox
