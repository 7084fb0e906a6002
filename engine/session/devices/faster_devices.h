/// Models that a device was found to be faster with than the processor: the next start need not try that
/// again.
///
/// File "faster.txt": lines of SHA-256 in hexadecimal, the newest last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ingle::session {

class FasterDevices {
  public:
    /// `folder`: an existing one; empty: nothing is kept.
    explicit FasterDevices(const std::string& folder);

    /// `trial` names all that it depends on.
    bool has(std::string_view trial) const;
    /// What cannot be written is tried again.
    void add(std::string_view trial);

  private:
    std::string m_path;
    std::vector<std::string> m_trials;
};

}  // namespace ingle::session
