/// Device memory for what comes one by one and stays: ranges cut from blocks that grow with the need.
#pragma once

#include <vector>

#include "engine/backend/vulkan/substrate/allocator.h"
#include "engine/backend/vulkan/substrate/block_plan.h"

namespace ingle::backend::vulkan {

class Arena {
  public:
    explicit Arena(Device& device)
        : m_plan(maxRangeBytes(device.info().limits)), m_allocator(device, MemoryUse::Device) {}

    /// A range of its own, contents undefined, until the arena ends. Errors: as Allocator::allocate().
    Result<BufferRange> allocate(uint64_t bytes);
    uint64_t allocatedBytes() const { return m_allocator.allocatedBytes(); }
    bool owns(const BufferRange& range) const { return m_allocator.owns(range); }

  private:
    BlockPlan m_plan;
    Allocator m_allocator;
    std::vector<BufferRange> m_blocks;
};

}  // namespace ingle::backend::vulkan
