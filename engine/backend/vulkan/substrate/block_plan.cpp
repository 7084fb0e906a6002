#include "engine/backend/vulkan/substrate/block_plan.h"

#include <algorithm>

#include "engine/backend/vulkan/substrate/allocator.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint64_t kFirstBlockBytes = uint64_t{1} << 20;
/// What a model leaves unused of its last block is little beside it.
constexpr uint64_t kUsualBlockBytes = uint64_t{64} << 20;

}  // namespace

BlockPlan::Place BlockPlan::add(uint64_t bytes) {
    for (size_t i = 0; i < m_blocks.size(); ++i) {
        Block& block = m_blocks[i];
        const uint64_t first = alignUp(block.used);
        if (first > block.bytes || bytes > block.bytes - first) continue;
        block.used = first + bytes;
        return {i, first};
    }
    const uint64_t usual = std::clamp(m_allBytes, kFirstBlockBytes, kUsualBlockBytes);
    m_blocks.push_back({std::max(bytes, std::min(usual, m_mostBytes)), bytes});
    m_allBytes += m_blocks.back().bytes;
    return {m_blocks.size() - 1, 0};
}

void BlockPlan::dropLast() {
    m_allBytes -= m_blocks.back().bytes;
    m_blocks.pop_back();
}

}  // namespace ingle::backend::vulkan
