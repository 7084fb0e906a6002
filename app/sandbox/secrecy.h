/// Keeping what a process holds in memory out of files.
#pragma once

namespace ingle::sandbox {

/// From now on nobody of the same user can read or dump this process's memory (PR_SET_DUMPABLE), and a crash
/// leaves no core, nor do processes that are started from now on (RLIMIT_CORE). Until it ends: what was freed
/// is still there. Any thread.
void keepOutOfDumps();

}  // namespace ingle::sandbox
