/// How long a step may take before the device counts as hanging.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>

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
    static constexpr int kTimesFirst = 2;

    /// For a step of `rows` rows: many times the longest one so far, row by row. Each number of rows has
    /// kernels of its own.
    std::chrono::nanoseconds limit(uint32_t rows) const {
        const auto known = m_known.find(rows);
        if (known == m_known.end()) return kAtFirst;
        return std::max({kLeast, kTimesFirst * known->second, kTimesLongest * rows * m_perRow});
    }
    void took(uint32_t rows, std::chrono::nanoseconds time) {
        const auto [known, isFirst] = m_known.try_emplace(rows, time);
        if (isFirst) return;
        known->second = {};
        m_perRow = std::max(m_perRow, time / rows);
    }

  private:
    /// Numbers of rows that have run, with the time of the first run while there was no other: that may have
    /// been spent on compiling.
    std::map<uint32_t, std::chrono::nanoseconds> m_known;
    std::chrono::nanoseconds m_perRow{};  ///< of the step that took longest, but for first ones
};

}  // namespace ingle::backend::vulkan
