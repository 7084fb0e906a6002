/// The Vulkan functions this backend calls, found at run time: the programs are not linked to Vulkan and run
/// where there is none. Also the seam for injecting faults: a test may replace any entry, and the clock.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "engine/backend/vulkan/substrate/cooperative_matrix_khr.h"
#include "ingle/result.h"

// clang-format off
#define INGLE_VK_GLOBAL_FUNCTIONS(X) \
    X(CreateInstance) X(EnumerateInstanceVersion) X(EnumerateInstanceLayerProperties)
#define INGLE_VK_INSTANCE_FUNCTIONS(X) \
    X(DestroyInstance) X(EnumeratePhysicalDevices) X(EnumerateDeviceExtensionProperties) \
    X(GetPhysicalDeviceProperties) X(GetPhysicalDeviceProperties2) X(GetPhysicalDeviceFeatures2) \
    X(GetPhysicalDeviceMemoryProperties2) X(GetPhysicalDeviceQueueFamilyProperties) \
    X(CreateDevice) X(GetDeviceProcAddr)
/// Null where an extension is missing: the first two are present with validation only.
#define INGLE_VK_OPTIONAL_FUNCTIONS(X) \
    X(CreateDebugUtilsMessengerEXT) X(DestroyDebugUtilsMessengerEXT) \
    X(GetPhysicalDeviceCooperativeMatrixPropertiesKHR)
#define INGLE_VK_DEVICE_FUNCTIONS(X) \
    X(DestroyDevice) X(GetDeviceQueue) X(QueueSubmit) \
    X(CreateSemaphore) X(DestroySemaphore) X(WaitSemaphores) X(GetSemaphoreCounterValue) \
    X(AllocateMemory) X(FreeMemory) X(MapMemory) \
    X(CreateBuffer) X(DestroyBuffer) X(GetBufferMemoryRequirements) X(BindBufferMemory) \
    X(CreateShaderModule) X(DestroyShaderModule) \
    X(CreateDescriptorSetLayout) X(DestroyDescriptorSetLayout) \
    X(CreatePipelineLayout) X(DestroyPipelineLayout) \
    X(CreatePipelineCache) X(DestroyPipelineCache) X(GetPipelineCacheData) \
    X(CreateComputePipelines) X(DestroyPipeline) \
    X(CreateDescriptorPool) X(DestroyDescriptorPool) X(AllocateDescriptorSets) X(UpdateDescriptorSets) \
    X(CreateCommandPool) X(DestroyCommandPool) X(AllocateCommandBuffers) \
    X(BeginCommandBuffer) X(EndCommandBuffer) X(CmdBindPipeline) X(CmdBindDescriptorSets) \
    X(CmdPushConstants) X(CmdDispatch) X(CmdPipelineBarrier) X(CmdCopyBuffer) X(CmdFillBuffer)
// clang-format on

namespace ingle::backend::vulkan {

/// The loader's usual name.
inline constexpr const char* kVulkanLibrary = "libvulkan.so.1";

/// A table of entry points: `api.CreateBuffer` is vkCreateBuffer. A plain value; whoever copies it sees its
/// own replacements only.
struct Api {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define INGLE_VK_ENTRY(name) PFN_vk##name name = nullptr;
    INGLE_VK_GLOBAL_FUNCTIONS(INGLE_VK_ENTRY)
    INGLE_VK_INSTANCE_FUNCTIONS(INGLE_VK_ENTRY)
    INGLE_VK_OPTIONAL_FUNCTIONS(INGLE_VK_ENTRY)
    INGLE_VK_DEVICE_FUNCTIONS(INGLE_VK_ENTRY)
#undef INGLE_VK_ENTRY
    /// The time by which work is cut into submissions and judged to hang.
    std::chrono::steady_clock::time_point (*now)() = std::chrono::steady_clock::now;

    /// Opens the loader and fills in the functions that need no instance. Errors: Unsupported (no such
    /// library, or it is older than Vulkan 1.1).
    static Result<Api> load(const std::string& library);
    /// The functions of an instance; those of extensions stay null where the instance lacks them. Errors:
    /// Device (the loader lacks one).
    Status loadInstance(VkInstance instance);
    /// Errors: Device (the driver lacks one).
    Status loadDevice(VkDevice device);
};

/// Puts `next` behind `head` in a pNext chain.
template <typename Head, typename Next>
void chain(Head& head, Next& next) {
    next.pNext = head.pNext;
    head.pNext = &next;
}

/// "VK_ERROR_DEVICE_LOST".
std::string_view resultName(VkResult result);

/// Errors: OutOfMemory (the driver's own word), Device (any other failure); both name `call`.
Status check(VkResult result, std::string_view call);

}  // namespace ingle::backend::vulkan
