#include "engine/backend/vulkan/substrate/barriers.h"

#include <algorithm>

namespace ingle::backend::vulkan {
namespace {

bool collide(const Access& a, const Access& b) {
    const bool bothRead = a.kind == AccessKind::Read && b.kind == AccessKind::Read;
    return !bothRead && a.buffer == b.buffer && a.begin < b.end && b.begin < a.end;
}

}  // namespace

bool BarrierPlanner::add(std::span<const Access> accesses) {
    const bool needed = std::ranges::any_of(accesses, [&](const Access& access) {
        return std::ranges::any_of(m_sinceBarrier,
                                   [&](const Access& earlier) { return collide(access, earlier); });
    });
    if (needed) m_sinceBarrier.clear();
    m_sinceBarrier.insert(m_sinceBarrier.end(), accesses.begin(), accesses.end());
    return needed;
}

}  // namespace ingle::backend::vulkan
