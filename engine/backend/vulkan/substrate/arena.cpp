#include "engine/backend/vulkan/substrate/arena.h"

#include <algorithm>

namespace ingle::backend::vulkan {
namespace {

constexpr uint64_t kFirstBlockBytes = uint64_t{1} << 20;
/// What a model leaves unused of its last block is little beside it.
constexpr uint64_t kUsualBlockBytes = uint64_t{64} << 20;

}  // namespace

Result<BufferRange> Arena::allocate(uint64_t bytes) {
    const uint64_t first = (m_used + kRangeAlignment - 1) / kRangeAlignment * kRangeAlignment;
    if (first > m_block.bytes || bytes > m_block.bytes - first) {
        const uint64_t usual = std::clamp(m_allocator.allocatedBytes(), kFirstBlockBytes, kUsualBlockBytes);
        const uint64_t most = maxRangeBytes(m_device.info().limits);
        INGLE_TRY_ASSIGN(m_block, m_allocator.allocate(std::max(bytes, std::min(usual, most))));
        m_used = bytes;
        return m_block.part(0, bytes);
    }
    m_used = first + bytes;
    return m_block.part(first, bytes);
}

}  // namespace ingle::backend::vulkan
