/// Where ranges lie that come one by one: in blocks that grow with the need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ingle::backend::vulkan {

class BlockPlan {
  public:
    /// `mostBytes`: of a block, and of a range.
    explicit BlockPlan(uint64_t mostBytes) : m_mostBytes(mostBytes) {}

    struct Place {
        size_t block = 0;
        uint64_t offset = 0;
    };
    /// In the first block that has room, or in a new one behind the others.
    Place add(uint64_t bytes);
    size_t numBlocks() const { return m_blocks.size(); }
    uint64_t blockBytes(size_t block) const { return m_blocks[block].bytes; }
    uint64_t allBytes() const { return m_allBytes; }
    /// The last block cannot be made.
    void dropLast();

  private:
    struct Block {
        uint64_t bytes = 0, used = 0;
    };
    uint64_t m_mostBytes;
    uint64_t m_allBytes = 0;
    std::vector<Block> m_blocks;
};

}  // namespace ingle::backend::vulkan
