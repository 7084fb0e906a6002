/// The lock that processes share which change one folder.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ingle/file_descriptor.h"

namespace ingle::session {

/// Held from acquire() to the end of its life, and gone with the process in any case: flock on the file
/// `lock` in the folder (and on `lock.turn` while waiting for it, so that each has its turn). Two in one
/// process exclude each other as well.
class FolderLock {
  public:
    /// Waits until nobody else holds it. In between `waitOrStop` waits a little, and ends the waiting with
    /// nothing where it says true.
    static std::optional<FolderLock> acquire(const std::string& folder,
                                             const std::function<bool()>& waitOrStop);

    /// False where the file system knows no such locks: others may be changing the folder.
    bool excludesOthers() const { return m_file.isOpen(); }

  private:
    explicit FolderLock(FileDescriptor file) : m_file(std::move(file)) {}
    FileDescriptor m_file;
};

}  // namespace ingle::session
