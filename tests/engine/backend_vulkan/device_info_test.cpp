#include "engine/backend/vulkan/substrate/device_info.h"

#include <gtest/gtest.h>

#include "engine/backend/vulkan/substrate/allocator.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kGiB = 1 << 30;

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

DeviceInfo goodDevice() {
    DeviceInfo device;
    device.name = "Card";
    device.vulkanVersion = VK_API_VERSION_1_2;
    device.deviceUuid[0] = 1;
    device.features = {.computeQueue = true,
                       .storage16 = true,
                       .storage8 = true,
                       .int8 = true,
                       .subgroupBasic = true,
                       .subgroupArithmetic = true,
                       .timelineSemaphores = true};
    device.limits = {.maxBindings = 12, .maxWorkgroupSize = 256, .maxSharedBytes = 32768};
    return device;
}

TEST(DeviceInfo, aDeviceWithEverythingNeededIsNotRefused) {
    EXPECT_EQ(refusalOf(goodDevice()), "");
}

TEST(DeviceInfo, aRefusalNamesWhatIsMissing) {
    DeviceInfo device = goodDevice();
    device.features.storage8 = false;
    device.features.timelineSemaphores = false;
    EXPECT_EQ(refusalOf(device), "Card lacks 8-bit storage, timeline semaphores");
    device = goodDevice();
    device.vulkanVersion = VK_API_VERSION_1_1;
    EXPECT_EQ(refusalOf(device), "Card offers Vulkan 1.1, but 1.2 is needed");
    device = goodDevice();
    device.limits.maxBindings = 8;
    EXPECT_EQ(refusalOf(device), "Card lacks 12 storage buffers in a shader");
}

TEST(DeviceInfo, everyNeedRefuses) {
    const auto refuses = [](auto spoil) {
        DeviceInfo device = goodDevice();
        spoil(device);
        return !refusalOf(device).empty();
    };
    EXPECT_TRUE(refuses([](DeviceInfo& d) { d.features.computeQueue = false; }));
    EXPECT_TRUE(refuses([](DeviceInfo& d) { d.features.storage16 = false; }));
    EXPECT_TRUE(refuses([](DeviceInfo& d) { d.features.int8 = false; }));
    EXPECT_TRUE(refuses([](DeviceInfo& d) { d.features.subgroupBasic = false; }));
    EXPECT_TRUE(refuses([](DeviceInfo& d) { d.features.subgroupArithmetic = false; }));
    EXPECT_TRUE(refuses([](DeviceInfo& d) { d.limits.maxSharedBytes = 16384; }));
    EXPECT_TRUE(refuses([](DeviceInfo& d) { d.limits.maxWorkgroupSize = 128; }));
}

TEST(DeviceInfo, whatIsAvailableNeverWraps) {
    EXPECT_EQ(availableBytes({.bytes = 8 * kGiB, .budgetBytes = 8 * kGiB}), 8 * kGiB - 8 * kGiB / 10);
    EXPECT_EQ(availableBytes({.bytes = 2 * kGiB, .budgetBytes = 2 * kGiB, .usedBytes = kGiB}),
              kGiB - 512 * kMiB);
    EXPECT_EQ(availableBytes({.bytes = 8 * kGiB, .budgetBytes = kGiB, .usedBytes = 2 * kGiB}), 0u);
    EXPECT_EQ(availableBytes({.bytes = 256 * kMiB, .budgetBytes = 256 * kMiB}), 0u);
    EXPECT_EQ(availableBytes({.bytes = kGiB, .budgetBytes = UINT64_MAX, .usedBytes = 0}), 512 * kMiB);
    EXPECT_EQ(availableBytes({}), 0u);
}

TEST(DeviceInfo, ofTwinsTheFirstUsableStays) {
    DeviceInfo refused = goodDevice();
    refused.driverName = "old";
    refused.features.storage8 = false;
    DeviceInfo usable = goodDevice();
    usable.driverName = "new";
    DeviceInfo second = goodDevice();
    second.driverName = "third";
    DeviceInfo other = goodDevice();
    other.deviceUuid[0] = 2;
    const auto kept = withoutTwins({refused, usable, second, other});
    ASSERT_EQ(kept.size(), 2u);
    EXPECT_EQ(kept[0].driverName, "new");
    EXPECT_EQ(kept[1].deviceUuid[0], 2);
}

TEST(DeviceInfo, devicesWithoutUuidAreNotTwins) {
    DeviceInfo nameless = goodDevice();
    nameless.deviceUuid = {};
    EXPECT_EQ(withoutTwins({nameless, nameless}).size(), 2u);
}

TEST(DeviceInfo, identityFollowsDeviceDriverAndVersion) {
    const DeviceInfo device = goodDevice();
    DeviceInfo driver = device, version = device, card = device;
    driver.driverUuid[3] = 1;
    version.driverVersion = 1;
    card.deviceUuid[3] = 1;
    for (const DeviceInfo& other : {driver, version, card})
        EXPECT_NE(driverIdentity(device), driverIdentity(other));
    EXPECT_EQ(driverIdentity(device), driverIdentity(goodDevice()));
}

struct Hardware {
    const char* name;
    DeviceKind kind;
    DeviceMemory memory;
    uint32_t device, hostWrite, hostRead;  ///< the types to choose
};

MemoryHeap heap(uint64_t bytes, bool local) {
    return {.bytes = bytes, .budgetBytes = bytes, .deviceLocal = local};
}

TEST(MemoryTypes, suitTheHardware) {
    const Hardware all[] = {
        {"card behind a window of 256 MiB",
         DeviceKind::Discrete,
         {{heap(8 * kGiB, true), heap(16 * kGiB, false), heap(256 * kMiB, true)},
          {{1, 0}, {0, kLocal}, {1, kVisible}, {1, kVisible | kCached}, {2, kLocal | kVisible}}},
         1,
         2,
         3},
        {"card visible as a whole",
         DeviceKind::Discrete,
         {{heap(16 * kGiB, true), heap(32 * kGiB, false)},
          {{0, kLocal}, {0, kLocal | kVisible}, {1, kVisible}, {1, kVisible | kCached}}},
         0,
         2,
         3},
        {"integrated, one heap",
         DeviceKind::Integrated,
         {{heap(16 * kGiB, true)}, {{0, kLocal}, {0, kLocal | kVisible}, {0, kLocal | kVisible | kCached}}},
         1,
         1,
         2},
        {"integrated with a small part of its own",
         DeviceKind::Integrated,
         {{heap(512 * kMiB, true), heap(16 * kGiB, false)},
          {{0, kLocal}, {0, kLocal | kVisible}, {1, kVisible}, {1, kVisible | kCached}}},
         2,
         2,
         3},
        {"vendor types are passed over",
         DeviceKind::Discrete,
         {{heap(8 * kGiB, true), heap(16 * kGiB, false)},
          {{0, kLocal | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD}, {0, kLocal}, {1, kVisible}}},
         1,
         2,
         2},
        {"software", DeviceKind::Cpu, {{heap(2 * kGiB, true)}, {{0, kLocal | kVisible | kCached}}}, 0, 0, 0},
    };
    for (const Hardware& hardware : all) {
        SCOPED_TRACE(hardware.name);
        const auto choose = [&](MemoryUse use) {
            return chooseMemoryType(hardware.memory, hardware.kind, UINT32_MAX, use);
        };
        EXPECT_EQ(choose(MemoryUse::Device), hardware.device);
        EXPECT_EQ(choose(MemoryUse::HostWrite), hardware.hostWrite);
        EXPECT_EQ(choose(MemoryUse::HostRead), hardware.hostRead);
        EXPECT_EQ(choose(MemoryUse::Main), hardware.hostWrite);
    }
}

TEST(MemoryTypes, onlyAllowedOnesAreChosen) {
    const DeviceMemory memory{{heap(kGiB, true)}, {{0, kLocal}, {0, kLocal}}};
    EXPECT_EQ(chooseMemoryType(memory, DeviceKind::Discrete, 0b10, MemoryUse::Device), 1u);
    EXPECT_EQ(chooseMemoryType(memory, DeviceKind::Discrete, 0, MemoryUse::Device), std::nullopt);
    EXPECT_EQ(chooseMemoryType(memory, DeviceKind::Discrete, 0b11, MemoryUse::HostRead), std::nullopt);
}

TEST(Ranges, staySmallerThanEveryLimit) {
    EXPECT_EQ(maxRangeBytes({.maxStorageRangeBytes = UINT32_MAX, .maxAllocationBytes = 4 * kGiB}),
              kMaxBlockBytes);
    EXPECT_EQ(maxRangeBytes({.maxStorageRangeBytes = 128 * kMiB, .maxAllocationBytes = 4 * kGiB}),
              128 * kMiB);
    EXPECT_EQ(maxRangeBytes({.maxStorageRangeBytes = UINT32_MAX, .maxAllocationBytes = 1000}), 768u);
}

VkCooperativeMatrixPropertiesKHR shape(uint32_t m, uint32_t n, uint32_t k) {
    return {.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR, .MSize = m, .NSize = n, .KSize = k};
}

TEST(MatrixUnits, areTheLargestShapeThatKernelsKnow) {
    const struct {
        std::vector<VkCooperativeMatrixPropertiesKHR> shapes;
        uint32_t minSubgroup, maxSubgroup;
        std::vector<uint32_t> units;  ///< m, n, k and the subgroup
    } cases[] = {
        {{shape(16, 8, 16), shape(16, 16, 16), shape(16, 8, 8)}, 32, 32, {16, 16, 16, 32}},
        {{shape(16, 16, 16)}, 32, 64, {16, 16, 16, 32}},
        {{shape(16, 16, 16)}, 64, 64, {16, 16, 16, 64}},
        {{shape(8, 8, 8)}, 8, 8, {8, 8, 8, 8}},
        {{shape(8, 16, 16)}, 16, 32, {8, 16, 16, 16}},
        {{shape(32, 32, 16), shape(16, 16, 4)}, 32, 32, {0, 0, 0, 32}},
        {{}, 8, 32, {0, 0, 0, 8}},
    };
    for (const auto& [shapes, least, most, expected] : cases) {
        const MatrixUnits units =
            chooseMatrixUnits(shapes, {.minSubgroupSize = least, .maxSubgroupSize = most});
        EXPECT_EQ((std::vector{units.m, units.n, units.k, units.subgroupSize}), expected);
    }
}

}  // namespace
}  // namespace ingle::backend::vulkan
