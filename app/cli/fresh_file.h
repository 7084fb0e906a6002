/// A new file from a process that may write nothing else.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::cli {

/// A folder beside a file that is to be made, which nobody else uses. Goes with all that is in it; where the
/// process was killed, when the next one is made there.
class FreshFolder {
  public:
    /// Errors: Io.
    static Result<std::unique_ptr<FreshFolder>> beside(const std::string& target);
    ~FreshFolder();
    FreshFolder(const FreshFolder&) = delete;
    FreshFolder& operator=(const FreshFolder&) = delete;

    const std::string& path() const { return m_path; }
    /// The file in it that has the target's name.
    std::string file() const;
    /// An error about that file as one about the target.
    Error inWordsOfTarget(Error error) const;
    /// Puts that file in the target's place. Errors: Io.
    Status moveToTarget() const;

  private:
    FreshFolder(std::string path, std::string target, FileDescriptor lock)
        : m_path(std::move(path)), m_target(std::move(target)), m_lock(std::move(lock)) {}

    std::string m_path, m_target;
    FileDescriptor m_lock;
};

/// Runs `work` in a copy of this process, which must have one thread: it may cage itself to `folder`, and
/// writes `file` in it. What it wrote takes the target's place. Its error is returned, with the target's
/// name; an interruption (interruption.h) is handed on. Errors: also Io.
Status writeFresh(const std::string& target,
                  const std::function<Status(const std::string& folder, const std::string& file)>& work);

}  // namespace ingle::cli
