/// Files under Landlock, by the interface of the kernel itself: the headers of Debian 12 know its second
/// version, kernels have up to the seventh.
#pragma once

#include <cstdint>
#include <string>

#include "ingle/file_descriptor.h"

namespace ingle::sandbox {

/// What a rule allows below a folder, or of a file.
enum class FileAccess : uint8_t {
    Read,     ///< reading files and listing folders
    Write,    ///< also making, replacing and removing them
    Device,   ///< reading and writing device files, and their own calls (ioctl)
    Execute,  ///< reading and starting programs
};

/// Rules about what this process may open. Nobody can take them back once they are enforced, and children
/// have them too. Without Landlock in the kernel nothing is restricted.
class Landlock {
  public:
    /// The version that the kernel has; 0: none.
    static int version();

    /// `isCut`: also no signals to processes outside, and no abstract sockets there (version 6).
    explicit Landlock(bool isCut);

    /// A path that is not there allows nothing.
    void allow(const std::string& path, FileAccess access) const;
    /// TCP connections to servers at this port; all others are refused (version 4).
    void allowConnecting(uint16_t port) const;
    /// From now on, for this thread and those that it starts. False when the kernel has no Landlock, or
    /// refuses.
    bool enforce() const;

  private:
    FileDescriptor m_rules;
    uint64_t m_handled = 0;
};

}  // namespace ingle::sandbox
