/// Where a sequence of dispatches needs barriers. Host code only: the validation layers do not see every
/// hazard (none of write after write between two dispatches), so this is tested by itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ingle::backend::vulkan {

enum class AccessKind : uint8_t { Read, Write, ReadWrite };

/// Bytes [begin, end) of a buffer that a dispatch touches.
struct Access {
    uint64_t buffer = 0;  ///< any number that tells buffers apart
    uint64_t begin = 0;
    uint64_t end = 0;
    AccessKind kind = AccessKind::Read;
};

/// Dispatches may overlap in time until a barrier, which waits for all before it. Two that touch the same
/// bytes, at least one of them writing, need a barrier between them (read after write, write after read,
/// write after write). Barriers are placed as late as possible, which makes them as few as possible for the
/// given order.
class BarrierPlanner {
  public:
    /// Takes the accesses of the next dispatch. True: a barrier belongs right before it. What a dispatch does
    /// to its own bytes is its own business.
    bool add(std::span<const Access> accesses);

  private:
    std::vector<Access> m_sinceBarrier;
};

}  // namespace ingle::backend::vulkan
