/// Linear allocation of device buffers: all sizes of a purpose are known at once, are packed into a few
/// blocks, and live as long as their allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/backend/vulkan/substrate/device.h"

namespace ingle::backend::vulkan {

/// The largest block, and so the largest range. Drivers promise more than they hold: some fail far below the
/// size they state, and large blocks are hard to move aside.
inline constexpr uint64_t kMaxBlockBytes = uint64_t{256} << 20;
/// Ranges begin at multiples of this: the coarsest offset alignment Vulkan lets a driver ask for.
inline constexpr uint64_t kRangeAlignment = 256;
/// What a range takes of a block.
constexpr uint64_t alignUp(uint64_t bytes) {
    return (bytes + kRangeAlignment - 1) / kRangeAlignment * kRangeAlignment;
}

/// Who reads and writes a buffer most.
enum class MemoryUse : uint8_t {
    Device,     ///< kernels: weights, cache, activations
    Main,       ///< kernels, in the computer's memory: keys and values that are to leave room on the device
    HostWrite,  ///< written by the CPU, read once by the device: staging, values of a step
    HostRead,   ///< written by the device, read by the CPU: tokens, logits
};

/// Bytes [offset, offset + bytes) of a buffer. A plain value; the allocator owns the memory.
struct BufferRange {
    VkBuffer buffer = VK_NULL_HANDLE;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    std::byte* host = nullptr;  ///< where the CPU sees the range; null when it does not

    /// A part; the caller keeps it inside, and at a multiple of kRangeAlignment where a kernel is to bind it.
    BufferRange part(uint64_t first, uint64_t count) const {
        return {buffer, offset + first, count, host ? host + first : nullptr};
    }
};

/// The memory type for a use, among those in `allowed` (a bit per type). Device: the largest heap the device
/// reads at full speed; visible to the CPU only where both share their memory. Main: what the CPU sees of its
/// own memory, which may be the same heap where they share it. Nothing when no type will do.
std::optional<uint32_t> chooseMemoryType(const DeviceMemory& memory, DeviceKind kind, uint32_t allowed,
                                         MemoryUse use);
/// The heap that is chosen for a use where every type is allowed.
std::optional<uint32_t> heapOf(const DeviceInfo& info, MemoryUse use);

/// The largest range allocate() gives and a kernel can bind; a matrix beyond it is sharded by rows.
uint64_t maxRangeBytes(const DeviceLimits& limits);

class Allocator {
  public:
    Allocator(Device& device, MemoryUse use) : m_device(device), m_use(use) {}
    ~Allocator();
    Allocator(const Allocator&) = delete;
    Allocator& operator=(const Allocator&) = delete;

    /// One range for each size, contents undefined. All or none; blocks are exactly as large as needed, so
    /// ask for everything that is known in one call. Errors: OutOfMemory (heap or driver has no more),
    /// InvalidArgument (a size of 0 or above maxRangeBytes), Device.
    Result<std::vector<BufferRange>> allocate(std::span<const uint64_t> sizes);
    /// A single range, which has a block of its own.
    Result<BufferRange> allocate(uint64_t bytes);

    MemoryUse use() const { return m_use; }
    uint64_t allocatedBytes() const { return m_allocatedBytes; }
    /// Whether the range came from here.
    bool owns(const BufferRange& range) const;

  private:
    struct Block {
        VkBuffer buffer = VK_NULL_HANDLE;
        VkDeviceMemory memory = VK_NULL_HANDLE;
        uint64_t bytes = 0;
        uint32_t heap = 0;
        std::byte* host = nullptr;
    };
    Status addBlock(uint64_t bytes);
    Status fillBlock(Block& block);
    void free(const Block& block);

    Device& m_device;
    MemoryUse m_use;
    std::vector<Block> m_blocks;
    uint64_t m_allocatedBytes = 0;
};

}  // namespace ingle::backend::vulkan
