#include "engine/backend/vulkan/substrate/allocator.h"

#include <algorithm>

namespace ingle::backend::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kMappable =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// Some drivers for devices that share the CPU's memory mark only a small part of it as the device's.
bool sharesMemory(DeviceKind kind) {
    return kind == DeviceKind::Integrated || kind == DeviceKind::Cpu;
}

bool isLocal(const MemoryType& type) {
    return type.has(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

bool readAtFullSpeed(const MemoryType& type, DeviceKind kind) {
    return isLocal(type) || (sharesMemory(kind) && type.has(kMappable));
}

/// How well a type suits a use; 0: not at all.
uint32_t suitability(const DeviceMemory& memory, DeviceKind kind, const MemoryType& type, MemoryUse use) {
    // Protected, lazily allocated and vendor types have rules of their own.
    constexpr VkMemoryPropertyFlags kOrdinary =
        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kMappable | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    if ((type.flags & ~kOrdinary) != 0) return 0;
    const bool mappable = type.has(kMappable);
    const bool cached = type.has(VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    switch (use) {
        case MemoryUse::Main:
        case MemoryUse::HostWrite:  // the device's own memory may be a small window
            return mappable ? 1u + 2u * !isLocal(type) + !cached : 0u;
        case MemoryUse::HostRead:  // uncached reads crawl
            return mappable ? 1u + 2u * cached + !isLocal(type) : 0u;
        case MemoryUse::Device:
            break;
    }
    if (!readAtFullSpeed(type, kind)) return 0;
    uint64_t largest = 0;
    for (const MemoryType& other : memory.types)
        if (readAtFullSpeed(other, kind)) largest = std::max(largest, memory.heaps[other.heap].bytes);
    // The window through which a CPU sees a discrete card is often a small heap of its own.
    if (memory.heaps[type.heap].bytes < largest) return 1;
    return 2u + 2u * isLocal(type) + (mappable == sharesMemory(kind));
}

}  // namespace

std::optional<uint32_t> chooseMemoryType(const DeviceMemory& memory, DeviceKind kind, uint32_t allowed,
                                         MemoryUse use) {
    std::optional<uint32_t> best;
    uint32_t bestSuitability = 0;
    for (uint32_t i = 0; i < memory.types.size(); ++i) {
        if ((allowed >> i & 1) == 0) continue;
        const uint32_t suits = suitability(memory, kind, memory.types[i], use);
        if (suits <= bestSuitability) continue;  // drivers list their favourites first
        best = i;
        bestSuitability = suits;
    }
    return best;
}

std::optional<uint32_t> heapOf(const DeviceInfo& info, MemoryUse use) {
    const auto type = chooseMemoryType(info.memory, info.kind, UINT32_MAX, use);
    if (!type) return std::nullopt;
    return info.memory.types[*type].heap;
}

uint64_t maxRangeBytes(const DeviceLimits& limits) {
    const uint64_t most = std::min({limits.maxStorageRangeBytes, limits.maxAllocationBytes, kMaxBlockBytes});
    return most / kRangeAlignment * kRangeAlignment;
}

Allocator::~Allocator() {
    if (!m_device.settle()) return;
    for (const Block& block : m_blocks) free(block);
}

Result<BufferRange> Allocator::allocate(uint64_t bytes) {
    INGLE_TRY_ASSIGN(const std::vector<BufferRange> ranges, allocate(std::span(&bytes, 1)));
    return ranges.front();
}

Result<std::vector<BufferRange>> Allocator::allocate(std::span<const uint64_t> sizes) {
    const uint64_t largest = maxRangeBytes(m_device.info().limits);
    const uint64_t blockLimit = std::min(m_device.info().limits.maxAllocationBytes, kMaxBlockBytes);
    // Where each range goes: its block (counted from the first new one) and its offset there.
    std::vector<std::pair<size_t, uint64_t>> places;
    std::vector<uint64_t> blockBytes;
    for (const uint64_t bytes : sizes) {
        if (bytes == 0 || bytes > largest)
            return fail(ErrorCode::InvalidArgument, "a buffer of {} bytes; between 1 and {} are possible",
                        bytes, largest);
        if (blockBytes.empty() || blockBytes.back() + alignUp(bytes) > blockLimit) blockBytes.push_back(0);
        places.emplace_back(blockBytes.size() - 1, blockBytes.back());
        blockBytes.back() += alignUp(bytes);
    }

    const size_t firstNew = m_blocks.size();
    for (const uint64_t bytes : blockBytes) {
        const Status added = addBlock(bytes);
        if (added) continue;
        while (m_blocks.size() > firstNew) {
            free(m_blocks.back());
            m_blocks.pop_back();
        }
        return tl::unexpected(added.error());
    }
    std::vector<BufferRange> ranges;
    ranges.reserve(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
        const Block& block = m_blocks[firstNew + places[i].first];
        const uint64_t offset = places[i].second;
        ranges.push_back({block.buffer, offset, sizes[i], block.host ? block.host + offset : nullptr});
    }
    return ranges;
}

bool Allocator::owns(const BufferRange& range) const {
    return std::ranges::any_of(m_blocks, [&](const Block& block) { return block.buffer == range.buffer; });
}

Status Allocator::addBlock(uint64_t bytes) {
    Block block{.bytes = bytes};
    const Status filled = fillBlock(block);
    if (!filled) {
        free(block);
        return filled;
    }
    m_blocks.push_back(block);
    return {};
}

Status Allocator::fillBlock(Block& block) {
    const Api& api = m_device.api();
    const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                  .size = block.bytes,
                                  .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                           VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                           VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                  .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
    INGLE_TRY(
        m_device.check(api.CreateBuffer(m_device.handle(), &info, nullptr, &block.buffer), "vkCreateBuffer"));
    VkMemoryRequirements needs{};
    api.GetBufferMemoryRequirements(m_device.handle(), block.buffer, &needs);
    const DeviceMemory& memory = m_device.info().memory;
    const auto type = chooseMemoryType(memory, m_device.info().kind, needs.memoryTypeBits, m_use);
    if (!type)
        return fail(ErrorCode::Device, "the graphics device {} has no memory of the kind that is needed",
                    m_device.info().name);
    block.heap = memory.types[*type].heap;
    if (m_use == MemoryUse::Device || m_use == MemoryUse::Main) {
        const uint64_t available = m_device.availableBytes(block.heap);
        if (needs.size > available)
            return fail(ErrorCode::OutOfMemory, "the graphics device {} has {} MiB {}left, but {} are needed",
                        m_device.info().name, available >> 20,
                        m_use == MemoryUse::Main ? "of the computer's memory " : "", needs.size >> 20);
    }
    const VkMemoryAllocateInfo allocation{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                          .allocationSize = needs.size,
                                          .memoryTypeIndex = *type};
    INGLE_TRY(m_device.check(api.AllocateMemory(m_device.handle(), &allocation, nullptr, &block.memory),
                             "vkAllocateMemory"));
    m_device.noteAllocated(block.heap, block.bytes);
    m_allocatedBytes += block.bytes;
    INGLE_TRY(m_device.check(api.BindBufferMemory(m_device.handle(), block.buffer, block.memory, 0),
                             "vkBindBufferMemory"));
    if (!memory.types[*type].has(kMappable)) return {};
    void* host = nullptr;
    INGLE_TRY(m_device.check(api.MapMemory(m_device.handle(), block.memory, 0, VK_WHOLE_SIZE, 0, &host),
                             "vkMapMemory"));
    block.host = static_cast<std::byte*>(host);
    return {};
}

void Allocator::free(const Block& block) {
    const Api& api = m_device.api();
    if (block.buffer) api.DestroyBuffer(m_device.handle(), block.buffer, nullptr);
    if (!block.memory) return;
    api.FreeMemory(m_device.handle(), block.memory, nullptr);
    m_device.noteFreed(block.heap, block.bytes);
    m_allocatedBytes -= block.bytes;
}

}  // namespace ingle::backend::vulkan
