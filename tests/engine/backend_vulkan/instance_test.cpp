#include "engine/backend/vulkan/substrate/instance.h"

#include <link.h>

#include <cstdlib>
#include <set>
#include <string>

#include "tests/engine/backend_vulkan/vulkan_test.h"

namespace ingle::backend::vulkan {
namespace {

using ::testing::HasSubstr;

TEST(Api, anAbsentLibraryIsOneSentence) {
    const auto instance = Instance::create({.library = "libabsent.so.1"});
    ASSERT_FALSE(instance.has_value());
    EXPECT_EQ(instance.error().code, ErrorCode::Unsupported);
    EXPECT_THAT(instance.error().message, HasSubstr("libabsent.so.1"));
}

TEST(Api, anotherLibraryIsNotVulkan) {
    const auto instance = Instance::create({.library = "libm.so.6"});
    ASSERT_FALSE(instance.has_value());
    EXPECT_EQ(instance.error().code, ErrorCode::Unsupported);
}

TEST(Api, failuresHaveCodesAndNames) {
    EXPECT_TRUE(check(VK_SUCCESS, "vkX").has_value());
    EXPECT_TRUE(check(VK_INCOMPLETE, "vkX").has_value());
    EXPECT_EQ(check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkX").error().code, ErrorCode::OutOfMemory);
    EXPECT_EQ(check(VK_ERROR_DEVICE_LOST, "vkX").error().code, ErrorCode::Device);
    EXPECT_THAT(check(VK_ERROR_DEVICE_LOST, "vkX").error().message, HasSubstr("vkX: VK_ERROR_DEVICE_LOST"));
    EXPECT_THAT(check(VkResult(-12345), "vkX").error().message, HasSubstr("-12345"));
}

class InstanceTest : public VulkanTest {};

std::set<std::string> loadedLibraries() {
    std::set<std::string> names;
    ::dl_iterate_phdr(
        [](dl_phdr_info* library, size_t, void* found) {
            static_cast<std::set<std::string>*>(found)->insert(library->dlpi_name);
            return 0;
        },
        &names);
    return names;
}

TEST_F(InstanceTest, driversStayLoaded) {
    const auto before = loadedLibraries();
    pipelines.reset();
    device.reset();
    instance.reset();
    const auto after = loadedLibraries();
    EXPECT_THAT(after, ::testing::IsSupersetOf(before));
}

TEST_F(InstanceTest, devicesAreDescribed) {
    EXPECT_FALSE(info.name.empty());
    EXPECT_FALSE(info.driverName.empty());
    EXPECT_GE(info.vulkanVersion, VK_API_VERSION_1_2);
    EXPECT_GE(info.limits.maxStorageRangeBytes, 128u << 20);
    EXPECT_GE(info.limits.maxAllocationBytes, 1u << 30);
    EXPECT_GE(info.limits.minSubgroupSize, 1u);
    EXPECT_LE(info.limits.minSubgroupSize, info.limits.subgroupSize);
    EXPECT_LE(info.limits.subgroupSize, info.limits.maxSubgroupSize);
    // Mesa's software driver makes subgroups as wide as it is told.
    const char* vectorBits = std::getenv("LP_NATIVE_VECTOR_WIDTH");
    if (vectorBits && info.kind == DeviceKind::Cpu) {
        EXPECT_EQ(info.limits.subgroupSize, std::stoul(vectorBits) / 32);
    }
    ASSERT_FALSE(info.memory.heaps.empty());
    for (const MemoryHeap& heap : info.memory.heaps) EXPECT_LE(heap.budgetBytes, heap.bytes);
    for (const MemoryType& type : info.memory.types) EXPECT_LT(type.heap, info.memory.heaps.size());
}

TEST_F(InstanceTest, refusalsOfTheLoaderAreResults) {
    failCall(instance->api().EnumeratePhysicalDevices, 1, VK_ERROR_INITIALIZATION_FAILED);
    const auto devices = instance->devices();
    ASSERT_FALSE(devices.has_value());
    EXPECT_EQ(devices.error().code, ErrorCode::Device);
}

TEST_F(InstanceTest, misuseIsHeard) {
    if (instance->validation() == Validation::Off) GTEST_SKIP() << "runs with INGLE_VK_VALIDATION=1";
    const VkBufferCreateInfo nothing{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 0};
    VkBuffer buffer = VK_NULL_HANDLE;
    device->api().CreateBuffer(device->handle(), &nothing, nullptr, &buffer);
    if (buffer) device->api().DestroyBuffer(device->handle(), buffer, nullptr);
    complaintsAreExpected = true;
}

}  // namespace
}  // namespace ingle::backend::vulkan
