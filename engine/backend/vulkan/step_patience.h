/// How long a step may take before the device counts as hanging.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>

namespace ingle::backend::vulkan {

class StepPatience {
  public:
    /// Of what has never run: drivers may compile its kernels only then, on a computer that is busy. Longer
    /// than any step takes on a device worth using.
    static constexpr std::chrono::nanoseconds kAtFirst = std::chrono::seconds(120);
    /// Another program may have the device for a while.
    static constexpr std::chrono::nanoseconds kLeast = std::chrono::seconds(10);
    /// Caches grow, clocks go down.
    static constexpr int kTimesLongest = 10;

    /// For a step of `rows` rows: many times the longest one so far, row by row. Each number of rows has
    /// kernels of its own.
    std::chrono::nanoseconds limit(uint32_t rows) const {
        return m_known.contains(rows) ? std::max(kLeast, kTimesLongest * rows * m_perRow) : kAtFirst;
    }
    void took(uint32_t rows, std::chrono::nanoseconds time) {
        const bool isFirst = m_known.insert(rows).second;
        if (!isFirst) m_perRow = std::max(m_perRow, time / rows);
    }

  private:
    std::set<uint32_t> m_known;           ///< numbers of rows that have run
    std::chrono::nanoseconds m_perRow{};  ///< of the step that took longest
};

}  // namespace ingle::backend::vulkan
