/// Files that a person saves: the window may write in its own folders only.
#pragma once

#include "engine/io/atomic_file.h"
#include "ingle/file_descriptor.h"

namespace ingle::brokers {

/// In a process of its own: makes the files that are asked for at `socket`, until nobody asks any more. What
/// is hidden is refused: programs keep there what they do, and what they start.
[[noreturn]] void save(int socket);

/// In the window. Any thread. Lives as long as the process.
io::FileMaker* saverAt(FileDescriptor socket);

}  // namespace ingle::brokers
