#include "engine/backend/vulkan/substrate/submission_budget.h"

#include <algorithm>
#include <bit>

namespace ingle::backend::vulkan {

namespace {

/// What takes the target at the rate of `work` in `time`.
uint64_t fitting(uint64_t work, std::chrono::nanoseconds time) {
    const std::chrono::duration<double> target = SubmissionBudget::kTarget;
    const std::chrono::duration<double> taken = std::max(time, std::chrono::nanoseconds(1));
    const double fits = static_cast<double>(work) * (target / taken);
    return std::bit_floor(static_cast<uint64_t>(std::min(fits, double{SubmissionBudget::kMost})));
}

}  // namespace

void SubmissionBudget::measured(std::span<const SubmissionTime> submissions) {
    bool isTooLong = false;
    uint64_t largest = 0;
    for (const auto& [work, time, canBeCut] : submissions) {
        largest = std::max(largest, work);
        if (!canBeCut || time <= kTarget) continue;
        isTooLong = true;
        m_work = std::clamp(fitting(work, time), kLeast, std::max(kLeast, m_work));
    }
    if (isTooLong) return;
    // Small ones say little: they take what any submission takes.
    uint64_t fits = kMost;
    for (const SubmissionTime& submission : submissions)
        if (submission.work > largest / 2) fits = std::min(fits, fitting(submission.work, submission.time));
    if (largest > 0) m_work = std::max(m_work, fits / 2);
}

}  // namespace ingle::backend::vulkan
