/// Progress at a pace that people can read.
#pragma once

#include <chrono>

namespace ingle::cli {

/// Lets the first and the last progress through, and others at most this often.
class Throttle {
  public:
    bool passes(double fraction) {
        const auto now = std::chrono::steady_clock::now();
        if (fraction < 1 && now < m_next) return false;
        m_next = now + std::chrono::milliseconds(50);
        return true;
    }

  private:
    std::chrono::steady_clock::time_point m_next{};
};

}  // namespace ingle::cli
