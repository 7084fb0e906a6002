#include "engine/backend/vulkan/substrate/allocator.h"

#include "tests/engine/backend_vulkan/vulkan_test.h"

namespace ingle::backend::vulkan {
namespace {

using ::testing::HasSubstr;

class AllocatorTest : public VulkanTest {};

TEST_F(AllocatorTest, rangesAreAlignedAndApart) {
    Allocator memory(*device, MemoryUse::Device);
    const uint64_t sizes[] = {1, 256, 257, 1000};
    const auto ranges = memory.allocate(sizes);
    ASSERT_TRUE(ranges.has_value()) << ranges.error().message;
    ASSERT_EQ(ranges->size(), 4u);
    for (size_t i = 0; i < ranges->size(); ++i) {
        const BufferRange& range = (*ranges)[i];
        EXPECT_EQ(range.bytes, sizes[i]);
        EXPECT_EQ(range.offset % kRangeAlignment, 0u);
        EXPECT_EQ(range.buffer, ranges->front().buffer);
        if (i > 0) {
            EXPECT_GE(range.offset, (*ranges)[i - 1].offset + (*ranges)[i - 1].bytes);
        }
    }
    EXPECT_EQ(memory.allocatedBytes(), 256u + 256 + 512 + 1024);
}

TEST_F(AllocatorTest, aBatchFillsBlockAfterBlock) {
    Allocator memory(*device, MemoryUse::Device);
    const std::vector<uint64_t> sizes(5, uint64_t{100} << 20);
    const auto ranges = memory.allocate(sizes);
    ASSERT_TRUE(ranges.has_value()) << ranges.error().message;
    const auto& r = *ranges;
    EXPECT_EQ(r[0].buffer, r[1].buffer);
    EXPECT_NE(r[1].buffer, r[2].buffer);
    EXPECT_EQ(r[2].buffer, r[3].buffer);
    EXPECT_NE(r[3].buffer, r[4].buffer);
    EXPECT_EQ(memory.allocatedBytes(), uint64_t{500} << 20);
}

TEST_F(AllocatorTest, hostMemoryIsVisible) {
    for (const MemoryUse use : {MemoryUse::HostRead, MemoryUse::HostWrite}) {
        Allocator memory(*device, use);
        const uint64_t sizes[] = {100, 8};
        const auto ranges = memory.allocate(sizes);
        ASSERT_TRUE(ranges.has_value()) << ranges.error().message;
        std::fill_n((*ranges)[0].host, 100, std::byte{1});
        std::fill_n((*ranges)[1].host, 8, std::byte{2});
        EXPECT_EQ((*ranges)[0].host[99], std::byte{1});
        EXPECT_EQ((*ranges)[1].part(4, 4).host, (*ranges)[1].host + 4);
    }
}

TEST_F(AllocatorTest, impossibleSizesAreRefused) {
    Allocator memory(*device, MemoryUse::Device);
    const uint64_t limit = maxRangeBytes(info.limits);
    for (const uint64_t bytes : {uint64_t{0}, limit + 1, UINT64_MAX}) {
        const auto range = memory.allocate(bytes);
        ASSERT_FALSE(range.has_value());
        EXPECT_EQ(range.error().code, ErrorCode::InvalidArgument);
    }
    EXPECT_EQ(memory.allocatedBytes(), 0u);
}

TEST_F(AllocatorTest, aRefusedBatchLeavesNothing) {
    Allocator memory(*device, MemoryUse::Device);
    ASSERT_TRUE(memory.allocate(1024).has_value());
    failCall(device->api().AllocateMemory, 2, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    const std::vector<uint64_t> twoBlocks(3, uint64_t{100} << 20);
    const auto ranges = memory.allocate(twoBlocks);
    ASSERT_FALSE(ranges.has_value());
    EXPECT_EQ(ranges.error().code, ErrorCode::OutOfMemory);
    EXPECT_THAT(ranges.error().message, HasSubstr("vkAllocateMemory"));
    EXPECT_EQ(memory.allocatedBytes(), 1024u);
    EXPECT_FALSE(device->lost());
    EXPECT_TRUE(memory.allocate(1024).has_value());
}

TEST_F(AllocatorTest, failuresToBindAndMapAreResults) {
    Allocator memory(*device, MemoryUse::HostRead);
    failCall(device->api().MapMemory, 1, VK_ERROR_MEMORY_MAP_FAILED);
    EXPECT_EQ(memory.allocate(1024).error().code, ErrorCode::Device);
    failCall(device->api().BindBufferMemory, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(memory.allocate(1024).error().code, ErrorCode::OutOfMemory);
    failCall(device->api().CreateBuffer, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_EQ(memory.allocate(1024).error().code, ErrorCode::OutOfMemory);
    EXPECT_EQ(memory.allocatedBytes(), 0u);
}

TEST_F(AllocatorTest, theBudgetIsKept) {
    if (info.features.memoryBudget) GTEST_SKIP() << "this driver counts by itself";
    // A heap that has shrunk since it was first asked for.
    static PFN_vkGetPhysicalDeviceMemoryProperties2 real = nullptr;
    real = device->api().GetPhysicalDeviceMemoryProperties2;
    device->api().GetPhysicalDeviceMemoryProperties2 = [](VkPhysicalDevice physical,
                                                          VkPhysicalDeviceMemoryProperties2* properties) {
        real(physical, properties);
        for (VkMemoryHeap& heap : properties->memoryProperties.memoryHeaps) heap.size = uint64_t{600} << 20;
    };
    Allocator memory(*device, MemoryUse::Device);
    ASSERT_TRUE(memory.allocate(uint64_t{80} << 20).has_value());
    const auto more = memory.allocate(uint64_t{80} << 20);
    ASSERT_FALSE(more.has_value());
    EXPECT_EQ(more.error().code, ErrorCode::OutOfMemory);
    EXPECT_THAT(more.error().message, HasSubstr("8 MiB left, but 80"));
}

TEST_F(AllocatorTest, freedMemoryIsAvailableAgain) {
    if (info.features.memoryBudget) GTEST_SKIP() << "this driver counts what others take, too";
    const uint64_t bytes = uint64_t{64} << 20;
    const auto before = device->availableBytes(0);
    {
        Allocator memory(*device, MemoryUse::Device);
        ASSERT_TRUE(memory.allocate(bytes).has_value());
        if (info.memory.heaps.size() == 1) {
            EXPECT_LE(device->availableBytes(0), before - bytes);
        }
    }
    EXPECT_EQ(device->availableBytes(0), before);
}

}  // namespace
}  // namespace ingle::backend::vulkan
