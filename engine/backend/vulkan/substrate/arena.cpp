#include "engine/backend/vulkan/substrate/arena.h"

namespace ingle::backend::vulkan {

Result<BufferRange> Arena::allocate(uint64_t bytes) {
    const BlockPlan::Place place = m_plan.add(bytes);
    if (place.block == m_blocks.size()) {
        const auto block = m_allocator.allocate(m_plan.blockBytes(place.block));
        if (!block) {
            m_plan.dropLast();
            return block;
        }
        m_blocks.push_back(*block);
    }
    return m_blocks[place.block].part(place.offset, bytes);
}

}  // namespace ingle::backend::vulkan
