/// Device memory for what comes one by one and stays: ranges cut from blocks that grow with the need.
#pragma once

#include "engine/backend/vulkan/substrate/allocator.h"

namespace ingle::backend::vulkan {

class Arena {
  public:
    explicit Arena(Device& device) : m_device(device), m_allocator(device, MemoryUse::Device) {}

    /// A range of its own, contents undefined, until the arena ends. Errors: as Allocator::allocate().
    Result<BufferRange> allocate(uint64_t bytes);
    uint64_t allocatedBytes() const { return m_allocator.allocatedBytes(); }
    bool owns(const BufferRange& range) const { return m_allocator.owns(range); }

  private:
    Device& m_device;
    Allocator m_allocator;
    BufferRange m_block;
    uint64_t m_used = 0;  // bytes of m_block
};

}  // namespace ingle::backend::vulkan
