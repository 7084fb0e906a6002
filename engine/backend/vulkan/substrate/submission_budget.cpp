#include "engine/backend/vulkan/substrate/submission_budget.h"

#include <algorithm>
#include <bit>

namespace ingle::backend::vulkan {

void SubmissionBudget::measured(uint64_t work, std::chrono::nanoseconds time) {
    if (time > kTarget) {
        const double share = std::chrono::duration<double>(kTarget) / std::chrono::duration<double>(time);
        const auto fits = static_cast<uint64_t>(static_cast<double>(work) * share);
        m_work = std::clamp(std::bit_floor(fits), kLeast, m_work);
    } else if (work > m_work / 2 && 4 * time < kTarget) {
        m_work = std::min(2 * m_work, kMost);
    }
}

}  // namespace ingle::backend::vulkan
