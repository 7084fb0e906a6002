/// What the host says when a mapped model file is cut short or replaced under it: the kernel then sends
/// SIGBUS, and no ordinary code can run any more.
#pragma once

#include <string>

namespace ingle::cli {

/// The exit status after a bus error.
inline constexpr int kBusErrorExit = 3;

/// From now on a bus error writes one Failed event with id 0 to `outputFd` and ends the process.
void reportBusErrors(int outputFd);

/// The file that the report names. Not while engine code runs.
void nameFileForBusErrors(const std::string& path);

}  // namespace ingle::cli
