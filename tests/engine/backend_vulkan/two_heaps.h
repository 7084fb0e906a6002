/// A card made up of a driver's only memory, as far as heaps go.
#pragma once

#include <algorithm>
#include <string_view>

#include "engine/backend/vulkan/substrate/instance.h"

namespace ingle::test {

/// What is opened from the instance that it is installed in finds a heap of its own and the computer's, of
/// so many bytes each. One at a time, from install() to the end of the devices made from the instance.
class TwoHeaps {
  public:
    uint64_t deviceBytes = uint64_t{4} << 30;
    uint64_t mainBytes = uint64_t{4} << 30;
    static constexpr uint32_t kDevice = 0, kMain = 1;  ///< heaps, and the types of their memory

    void install(backend::vulkan::Instance& instance) {
        s_current = this;
        backend::vulkan::Api& api = instance.api();
        s_properties = api.GetPhysicalDeviceMemoryProperties2;
        api.GetPhysicalDeviceMemoryProperties2 = properties;
        s_lookUp = api.GetDeviceProcAddr;
        api.GetDeviceProcAddr = lookUp;
    }

    /// `info` as that of the card.
    backend::vulkan::DeviceInfo described(backend::vulkan::DeviceInfo info) const {
        info.kind = backend::vulkan::DeviceKind::Discrete;
        info.features.memoryBudget = false;
        info.memory.heaps = {{.bytes = deviceBytes, .budgetBytes = deviceBytes, .deviceLocal = true},
                             {.bytes = mainBytes, .budgetBytes = mainBytes}};
        info.memory.types = {
            {.heap = kDevice, .flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
            {.heap = kMain,
             .flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                      VK_MEMORY_PROPERTY_HOST_CACHED_BIT}};
        return info;
    }

  private:
    static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice device,
                                                 VkPhysicalDeviceMemoryProperties2* all) {
        s_properties(device, all);
        all->memoryProperties.memoryHeapCount = 2;
        all->memoryProperties.memoryHeaps[kDevice].size = s_current->deviceBytes;
        all->memoryProperties.memoryHeaps[kMain] = {.size = s_current->mainBytes, .flags = 0};
    }
    static VKAPI_ATTR void VKAPI_CALL requirements(VkDevice device, VkBuffer buffer,
                                                   VkMemoryRequirements* needs) {
        s_requirements(device, buffer, needs);
        needs->memoryTypeBits = 1U << kDevice | 1U << kMain;
    }
    static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                                   const VkAllocationCallbacks* callbacks,
                                                   VkDeviceMemory* memory) {
        VkMemoryAllocateInfo real = *info;
        real.memoryTypeIndex = 0;
        return s_allocate(device, &real, callbacks, memory);
    }
    static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL lookUp(VkDevice device, const char* name) {
        const PFN_vkVoidFunction found = s_lookUp(device, name);
        const std::string_view entry = name;
        if (entry == "vkGetBufferMemoryRequirements") {
            s_requirements = reinterpret_cast<PFN_vkGetBufferMemoryRequirements>(found);
            return reinterpret_cast<PFN_vkVoidFunction>(requirements);
        }
        if (entry == "vkAllocateMemory") {
            s_allocate = reinterpret_cast<PFN_vkAllocateMemory>(found);
            return reinterpret_cast<PFN_vkVoidFunction>(allocate);
        }
        return found;
    }

    static inline TwoHeaps* s_current = nullptr;
    static inline PFN_vkGetPhysicalDeviceMemoryProperties2 s_properties = nullptr;
    static inline PFN_vkGetDeviceProcAddr s_lookUp = nullptr;
    static inline PFN_vkGetBufferMemoryRequirements s_requirements = nullptr;
    static inline PFN_vkAllocateMemory s_allocate = nullptr;
};

}  // namespace ingle::test
