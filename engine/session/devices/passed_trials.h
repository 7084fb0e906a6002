/// Trials of devices that went well: the next start need not try that again.
///
/// File: lines of SHA-256 in hexadecimal, the newest last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ingle::session {

class PassedTrials {
  public:
    /// `folder`: an existing one; empty: nothing is kept. `name`: of the file, of one kind of trials.
    PassedTrials(const std::string& folder, std::string_view name);

    /// `trial` names all that it depends on, but for this program: another build tries again.
    bool has(std::string_view trial) const;
    /// What cannot be written is tried again.
    void add(std::string_view trial);

  private:
    std::string m_path;
    std::vector<std::string> m_trials;
};

}  // namespace ingle::session
