/// How long a step may take before the device counts as hanging.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace ingle::backend::vulkan {

class StepPatience {
  public:
    /// Nothing is known yet: longer than any step takes on a device worth using.
    static constexpr std::chrono::nanoseconds kAtFirst = std::chrono::seconds(120);
    /// Another program may have the device for a while.
    static constexpr std::chrono::nanoseconds kLeast = std::chrono::seconds(10);
    /// Caches grow, clocks go down.
    static constexpr int kTimesLongest = 10;

    /// For a step of `rows` rows: many times the longest one so far, row by row.
    std::chrono::nanoseconds limit(uint32_t rows) const {
        return m_perRow.count() == 0 ? kAtFirst : std::max(kLeast, kTimesLongest * rows * m_perRow);
    }
    void took(uint32_t rows, std::chrono::nanoseconds time) { m_perRow = std::max(m_perRow, time / rows); }

  private:
    std::chrono::nanoseconds m_perRow{};  ///< of the step that took longest
};

}  // namespace ingle::backend::vulkan
