/// Makes calls of a real driver fail, from its first one on.
#pragma once

#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

#include "engine/backend/vulkan/substrate/instance.h"

namespace ingle::test {

/// One at a time, from install() to the end of the devices made from the instance. The time that passes from
/// one look at the clock to the next is always the same, so what a device is asked to do does not depend on
/// the computer.
struct VulkanFaults {
    struct Call {
        uint32_t calls = 0;
        uint32_t failing = 0;  ///< which call fails, from 1; 0: none
        VkResult error = VK_SUCCESS;
        bool forever = false;  ///< and every one behind it
    };
    Call submit, wait, allocate, map, createPipelines;
    /// After this wait, from 1, what the device wrote to memory of poisonedBytes is no numbers; 0: never.
    uint32_t poisonedWait = 0;
    uint64_t poisonedBytes = 0;
    uint32_t timesPoisoned = 0;

    void install(backend::vulkan::Instance& instance) {
        s_current = this;
        instance.api().now = now;
        PFN_vkGetDeviceProcAddr& entry = instance.api().GetDeviceProcAddr;
        s_lookUp = entry;
        entry = lookUp;
    }

  private:
    template <typename Function>
    struct Hook;
    template <typename... Args>
    struct Hook<VkResult (*)(Args...)> {
        static inline VkResult (*real)(Args...) = nullptr;

        template <Call VulkanFaults::*call>
        static VkResult run(Args... args) {
            return s_current->fails(s_current->*call) ? (s_current->*call).error : real(args...);
        }
    };

    /// Submissions neither so quick that more is put into one nor so slow that they are cut.
    static std::chrono::steady_clock::time_point now() {
        constexpr std::chrono::milliseconds kBetweenLooks{20};
        return std::chrono::steady_clock::time_point(kBetweenLooks * s_current->m_looks++);
    }

    bool fails(Call& call) {
        const std::scoped_lock lock(m_mutex);
        const uint32_t now = ++call.calls;
        return call.failing > 0 && (call.forever ? now >= call.failing : now == call.failing);
    }

    static VKAPI_ATTR VkResult VKAPI_CALL waitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* info,
                                                         uint64_t) {
        auto* const real = Hook<PFN_vkWaitSemaphores>::real;
        if (s_current->fails(s_current->wait)) {
            // Who is told that waiting failed may destroy what was waited for, so that must be over.
            real(device, info, UINT64_MAX);
            return s_current->wait.error;
        }
        // Nobody waits too long by this clock; the computer may be as busy as it likes.
        const VkResult result = real(device, info, UINT64_MAX);
        if (s_current->wait.calls == s_current->poisonedWait) s_current->poison();
        return result;
    }
    static VKAPI_ATTR VkResult VKAPI_CALL mapMemory(VkDevice device, VkDeviceMemory memory,
                                                    VkDeviceSize offset, VkDeviceSize size,
                                                    VkMemoryMapFlags flags, void** host) {
        if (s_current->fails(s_current->map)) return s_current->map.error;
        const VkResult result = Hook<PFN_vkMapMemory>::real(device, memory, offset, size, flags, host);
        if (result == VK_SUCCESS) s_current->m_memory[memory].host = *host;
        return result;
    }
    static VKAPI_ATTR VkResult VKAPI_CALL allocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                                         const VkAllocationCallbacks* callbacks,
                                                         VkDeviceMemory* memory) {
        if (s_current->fails(s_current->allocate)) return s_current->allocate.error;
        const VkResult result = Hook<PFN_vkAllocateMemory>::real(device, info, callbacks, memory);
        if (result == VK_SUCCESS) s_current->m_memory[*memory] = {nullptr, info->allocationSize};
        return result;
    }
    static VKAPI_ATTR void VKAPI_CALL freeMemory(VkDevice device, VkDeviceMemory memory,
                                                 const VkAllocationCallbacks* callbacks) {
        s_current->m_memory.erase(memory);
        s_freeMemory(device, memory, callbacks);
    }

    void poison() {
        for (const auto& [memory, block] : m_memory) {
            if (!block.host || block.bytes != poisonedBytes) continue;
            std::memset(block.host, 0xff, block.bytes);
            ++timesPoisoned;
        }
    }

    static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL lookUp(VkDevice device, const char* name) {
        const PFN_vkVoidFunction found = s_lookUp(device, name);
        const auto hooked = [&]<typename Function>(Function& real, Function ours) {
            real = reinterpret_cast<Function>(found);
            return reinterpret_cast<PFN_vkVoidFunction>(ours);
        };
        const std::string_view entry = name;
        using Submit = Hook<PFN_vkQueueSubmit>;
        using CreatePipelines = Hook<PFN_vkCreateComputePipelines>;
        if (entry == "vkQueueSubmit") return hooked(Submit::real, &Submit::run<&VulkanFaults::submit>);
        if (entry == "vkCreateComputePipelines")
            return hooked(CreatePipelines::real, &CreatePipelines::run<&VulkanFaults::createPipelines>);
        if (entry == "vkWaitSemaphores") return hooked(Hook<PFN_vkWaitSemaphores>::real, &waitSemaphores);
        if (entry == "vkMapMemory") return hooked(Hook<PFN_vkMapMemory>::real, &mapMemory);
        if (entry == "vkAllocateMemory") return hooked(Hook<PFN_vkAllocateMemory>::real, &allocateMemory);
        if (entry == "vkFreeMemory") return hooked(s_freeMemory, &freeMemory);
        return found;
    }

    static inline VulkanFaults* s_current = nullptr;
    static inline PFN_vkGetDeviceProcAddr s_lookUp = nullptr;
    static inline PFN_vkFreeMemory s_freeMemory = nullptr;

    struct Block {
        void* host = nullptr;
        uint64_t bytes = 0;
    };
    std::map<VkDeviceMemory, Block> m_memory;
    int64_t m_looks = 0;  ///< at the clock
    std::mutex m_mutex;   ///< pipelines are compiled by several threads
};

}  // namespace ingle::test
