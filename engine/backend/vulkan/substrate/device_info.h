/// What a physical device is and can do, whether this backend can use it, and how much memory it has left.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/vulkan/substrate/api.h"

namespace ingle::backend::vulkan {

/// Storage buffers a shader may bind; all pipelines share one layout of this size.
inline constexpr uint32_t kMaxBindings = 12;

/// The better one first. Cpu is software on the processor, which the CPU backend makes better use of.
enum class DeviceKind : uint8_t { Discrete, Integrated, Virtual, Other, Cpu };
std::string_view kindName(DeviceKind kind);  ///< for people, also as DeviceEntry::kind

struct MemoryHeap {
    uint64_t bytes = 0;
    uint64_t budgetBytes = 0;  ///< what this process may use in all; at most `bytes`
    uint64_t usedBytes = 0;    ///< by this process; 0 where the driver does not tell
    bool deviceLocal = false;
};

struct MemoryType {
    uint32_t heap = 0;
    VkMemoryPropertyFlags flags = 0;
    bool has(VkMemoryPropertyFlags wanted) const { return (flags & wanted) == wanted; }
};

struct DeviceMemory {
    std::vector<MemoryHeap> heaps;
    std::vector<MemoryType> types;
};

struct DeviceFeatures {
    // Needed.
    bool computeQueue = false;
    bool storage16 = false;  ///< 16-bit values in storage buffers
    bool storage8 = false;
    bool int8 = false;
    bool subgroupBasic = false;
    bool subgroupArithmetic = false;
    bool timelineSemaphores = false;
    // Made use of where present.
    bool float16 = false;                ///< arithmetic; storage needs storage16 only
    bool integerDot = false;             ///< 4x8-bit dot products exist …
    bool integerDotAccelerated = false;  ///< … and packed signed ones are fast
    bool subgroupSizeControl = false;
    bool fullSubgroups = false;  ///< can be demanded: every subgroup of a workgroup has all its invocations
    bool cooperativeMatrices = false;  ///< subgroups multiply matrices of halves, see MatrixUnits
    bool pipelineRobustness = false;
    bool memoryBudget = false;
};

struct DeviceLimits {
    uint64_t maxStorageRangeBytes = 0;  ///< of one binding
    uint64_t maxAllocationBytes = 0;
    uint32_t maxBindings = 0;  ///< storage buffers of one shader
    uint32_t maxWorkgroupSize = 0;
    uint32_t maxSharedBytes = 0;  ///< of one workgroup
    std::array<uint32_t, 3> maxGroups{};
    uint32_t subgroupSize = 0;
    uint32_t minSubgroupSize = 0;  ///< the three are equal without subgroupSizeControl
    uint32_t maxSubgroupSize = 0;
    uint32_t maxSubgroups = 0;     ///< of a workgroup, where their size is demanded; 0: any number
    uint32_t multiprocessors = 0;  ///< that run workgroups side by side; 0: the driver does not tell
};

/// What subgroups multiply together: halves [m, k] by [k, n], with sums in floats.
struct MatrixUnits {
    uint32_t m = 0, n = 0, k = 0;
    uint32_t subgroupSize = 0;  ///< of kernels that use them
};

using Uuid = std::array<uint8_t, VK_UUID_SIZE>;

struct DeviceInfo {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    std::string name;
    DeviceKind kind = DeviceKind::Other;
    uint32_t vulkanVersion = 0;  ///< as VK_MAKE_API_VERSION
    uint32_t vendorId = 0;
    uint32_t deviceId = 0;
    std::string driverName;  ///< for people
    std::string driverInfo;  ///< for people, e.g. "Mesa 22.3.6"
    uint32_t driverVersion = 0;
    Uuid deviceUuid{};
    Uuid driverUuid{};
    Uuid pipelineCacheUuid{};
    uint32_t queueFamily = 0;  ///< valid with features.computeQueue
    DeviceFeatures features;
    DeviceLimits limits;
    MatrixUnits matrixUnits;  ///< valid with features.cooperativeMatrices
    DeviceMemory memory;
};

/// Asks the driver everything; a device older than Vulkan 1.2 is asked for its name and version only.
DeviceInfo queryDevice(const Api& api, VkPhysicalDevice device);
/// Sizes and budgets as they are now. memoryBudget: whether the device has VK_EXT_memory_budget.
DeviceMemory queryMemory(const Api& api, VkPhysicalDevice device, bool memoryBudget);

/// Of shapes with factors of halves and sums of floats, which subgroups multiply: the largest whose sides are
/// 8 or 16. m is 0 where there is none.
MatrixUnits chooseMatrixUnits(std::span<const VkCooperativeMatrixPropertiesKHR> shapes,
                              const DeviceLimits& limits);

/// Why this backend cannot use the device, in one sentence; empty when it can.
std::string refusalOf(const DeviceInfo& device);

/// What may still be allocated without crowding out other programs: the budget less what is used and a
/// reserve of 512 MiB or a tenth of the heap, whichever is more. Never wraps.
uint64_t availableBytes(const MemoryHeap& heap);

/// One entry per piece of hardware. Two drivers may offer the same one: the first that is not refused stays.
std::vector<DeviceInfo> withoutTwins(std::vector<DeviceInfo> devices);

/// Changes whenever device, driver or driver version does: device UUID, driver UUID and version in
/// hexadecimal, fit for a file name.
std::string driverIdentity(const DeviceInfo& device);

}  // namespace ingle::backend::vulkan
