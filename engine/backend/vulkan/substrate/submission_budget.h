/// How much work one submission may hold. Drivers take a device that computes for seconds for a hanging one,
/// and nobody can tell beforehand how long it will take: so it begins with little and follows what is
/// measured.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace ingle::backend::vulkan {

/// What a submission took.
struct SubmissionTime {
    uint64_t work = 0;
    std::chrono::nanoseconds time{};
    bool canBeCut = true;
};
using SubmissionTimes = std::vector<SubmissionTime>;

/// Counted in multiply-adds of matrices, in powers of two: what changes seldom is recorded seldom.
class SubmissionBudget {
  public:
    /// A slow device does as much within the target: an integrated one, and a card.
    static constexpr uint64_t kFirst = uint64_t{1} << 30;
    static constexpr uint64_t kFirstOfCard = uint64_t{1} << 36;
    static constexpr uint64_t kLeast = uint64_t{1} << 20;
    static constexpr uint64_t kMost = uint64_t{1} << 45;
    static constexpr std::chrono::milliseconds kTarget{50};

    explicit SubmissionBudget(uint64_t first = kFirst) : m_work(first) {}

    uint64_t work() const { return m_work; }
    /// A step's submissions: less is allowed when one that could be cut took longer than the target; else
    /// what takes half of the target at most, at the rate of the slowest of the large ones, if that is more.
    void measured(std::span<const SubmissionTime> submissions);

  private:
    uint64_t m_work;
};

}  // namespace ingle::backend::vulkan
