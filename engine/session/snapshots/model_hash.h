/// The hash of a model file's whole contents, computed in the background and remembered by file identity.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/io/source.h"

namespace ingle::session {

/// Hashes opened files (XXH3, 128 bits), one after the other, on a thread of its own. The result is kept in
/// `folder`, under the files' device, inode, size and time, so that the next start has it at once. Any
/// thread.
class ModelHash {
  public:
    ModelHash(std::vector<io::Source> files, std::string folder);
    ~ModelHash();
    /// 32 hexadecimal digits; nothing while it is being computed, or when a file cannot be read.
    std::optional<std::string> get() const;

  private:
    void compute(const std::string& cachePath);

    const std::vector<io::Source> m_files;
    mutable std::mutex m_mutex;
    std::optional<std::string> m_hex;
    std::atomic<bool> m_stop{false};
    std::thread m_worker;
};

}  // namespace ingle::session
