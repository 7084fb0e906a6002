#include "engine/backend/buffer_plan.h"

#include <algorithm>
#include <numeric>

namespace ingle::backend {

BufferPlan planBuffers(std::span<const BufferNeed> needs) {
    std::vector<uint32_t> byFirst(needs.size());
    std::iota(byFirst.begin(), byFirst.end(), 0U);
    std::vector<uint32_t> byLast = byFirst;
    std::ranges::stable_sort(byFirst, {}, [&](uint32_t need) { return needs[need].first; });
    std::ranges::stable_sort(byLast, {}, [&](uint32_t need) { return needs[need].last; });

    BufferPlan plan;
    plan.bufferOf.resize(needs.size());
    std::vector<uint32_t> free;
    auto ending = byLast.begin();
    for (const uint32_t need : byFirst) {
        for (; needs[*ending].last < needs[need].first; ++ending) free.push_back(plan.bufferOf[*ending]);
        const uint64_t bytes = needs[need].bytes;
        // The free buffer that wastes or grows least.
        const auto best = std::ranges::min_element(free, {}, [&](uint32_t buffer) {
            const uint64_t size = plan.sizes[buffer];
            return size > bytes ? size - bytes : bytes - size;
        });
        if (best == free.end()) {
            plan.bufferOf[need] = static_cast<uint32_t>(plan.sizes.size());
            plan.sizes.push_back(bytes);
        } else {
            plan.bufferOf[need] = *best;
            plan.sizes[*best] = std::max(plan.sizes[*best], bytes);
            free.erase(best);
        }
    }
    return plan;
}

}  // namespace ingle::backend
