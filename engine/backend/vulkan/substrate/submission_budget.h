/// How much work one submission may hold. Drivers take a device that computes for seconds for a hanging one,
/// and nobody can tell beforehand how long it will take: so it begins with little and follows what is
/// measured.
#pragma once

#include <chrono>
#include <cstdint>

namespace ingle::backend::vulkan {

/// Counted in multiply-adds of matrices, in powers of two: what changes seldom is recorded seldom.
class SubmissionBudget {
  public:
    /// A slow integrated device does as much within the target.
    static constexpr uint64_t kFirst = uint64_t{1} << 30;
    static constexpr uint64_t kLeast = uint64_t{1} << 20;
    static constexpr uint64_t kMost = uint64_t{1} << 45;
    static constexpr std::chrono::milliseconds kTarget{50};

    uint64_t work() const { return m_work; }
    /// A submission of `work` took `time`: more is allowed when one that was nearly full took less than a
    /// quarter of the target, less when it took longer than the target.
    void measured(uint64_t work, std::chrono::nanoseconds time);

  private:
    uint64_t m_work = kFirst;
};

}  // namespace ingle::backend::vulkan
