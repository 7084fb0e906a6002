/// One logical device with one compute queue.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/backend/vulkan/substrate/instance.h"

namespace ingle::backend::vulkan {

/// Everything made from a device holds a reference to it and ends before it.
///
/// Once lost, a device stays lost: every call that would need it fails with Device, and the caller goes on
/// with the CPU. One thread, except where pipelines are compiled (check() and lost() are for any thread).
class Device {
  public:
    /// Errors: Unsupported (refusalOf), Device, OutOfMemory.
    static Result<std::unique_ptr<Device>> create(const Instance& instance, const DeviceInfo& info);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    VkDevice handle() const { return m_handle; }
    const DeviceInfo& info() const { return m_info; }
    Validation validation() const { return m_validation; }
    const Api& api() const { return m_api; }
    Api& api() { return m_api; }  ///< for tests, which put faults in place of entries

    /// Vulkan's answer to `call` as a Status; remembers when it was that the device is lost.
    Status check(VkResult result, std::string_view call);
    bool lost() const { return m_lost; }

    /// Queues the commands behind everything queued before. Returns the value the device's timeline reaches
    /// when they are done: 1, 2, 3 … Errors: Device, OutOfMemory.
    Result<uint64_t> submit(VkCommandBuffer commands);
    /// Errors: InvalidArgument (a value that nothing queued will reach), Device. Work that is not done within
    /// `limit` counts as a lost device.
    Status wait(uint64_t value, std::chrono::nanoseconds limit);
    /// The timeline's value now: everything queued up to it is done. Errors: Device.
    Result<uint64_t> completed();

    /// Waits a few seconds at most for what was queued up to `value`. False: the work hangs, so whatever it
    /// may still use must be left alone for ever. Destructors of what is made from a device ask before they
    /// destroy.
    bool settle(uint64_t value);
    bool settle() { return settle(m_submitted); }  ///< for everything queued

    /// What the heap has left, as it is now; see vulkan::availableBytes(). No more than is left of the limit,
    /// if it is the heap that has one.
    uint64_t availableBytes(uint32_t heap) const;
    /// All that may be allocated of the heap that is the device's own (MemoryUse::Device).
    void limitMemory(uint64_t bytes) { m_limit = bytes; }
    /// Counts allocations, for drivers that do not tell how much is in use.
    void noteAllocated(uint32_t heap, uint64_t bytes) { m_allocated[heap] += bytes; }
    void noteFreed(uint32_t heap, uint64_t bytes) { m_allocated[heap] -= bytes; }

  private:
    Device(const Instance& instance, const DeviceInfo& info)
        : m_api(instance.api()),
          m_info(info),
          m_validation(instance.validation()),
          m_allocated(info.memory.heaps.size()) {}
    Status open();
    Status checkNotLost() const;
    VkResult waitRaw(uint64_t value, std::chrono::nanoseconds limit) const;

    Api m_api;
    DeviceInfo m_info;
    Validation m_validation;
    VkDevice m_handle = VK_NULL_HANDLE;
    VkQueue m_queue = VK_NULL_HANDLE;
    VkSemaphore m_timeline = VK_NULL_HANDLE;
    uint64_t m_submitted = 0;
    uint64_t m_settled = 0;  // everything up to this value is known to be over
    bool m_hangs = false;
    std::atomic<bool> m_lost{false};
    std::vector<uint64_t> m_allocated;  // bytes, per heap
    uint64_t m_limit = UINT64_MAX;
};

}  // namespace ingle::backend::vulkan
