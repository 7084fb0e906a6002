/// The connection to Vulkan: which devices there are, and what the validation layer has to say.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/backend/vulkan/substrate/device_info.h"

namespace ingle::backend::vulkan {

/// On: Khronos' validation layer, with synchronization checks, sees every call. For tests: slow.
enum class Validation : uint8_t { Off, On };

struct InstanceOptions {
    std::string library = kVulkanLibrary;
    Validation validation = Validation::Off;

    /// Validation is on where INGLE_VK_VALIDATION=1.
    static InstanceOptions fromEnvironment();
};

/// Outlives its devices. Any thread, except that api() is changed (by tests) before anything else runs.
class Instance {
  public:
    /// Loads drivers, which may crash: see probe.h. Errors: Unsupported (no Vulkan, or no validation layer
    /// although asked for), Device.
    static Result<std::unique_ptr<Instance>> create(
        const InstanceOptions& options = InstanceOptions::fromEnvironment());
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    /// All devices in the loader's order, also those that refusalOf() refuses; asked anew at each call.
    /// Errors: Device.
    Result<std::vector<DeviceInfo>> devices() const;

    /// What the validation layer complained about so far.
    std::vector<std::string> validationMessages() const;

    VkInstance handle() const { return m_handle; }
    Validation validation() const { return m_validation; }
    const Api& api() const { return m_api; }
    /// For tests, which put faults in place of entries. A device copies the table when it is created.
    Api& api() { return m_api; }

  private:
    Instance(const Api& api, Validation validation) : m_api(api), m_validation(validation) {}
    Status open();
    static VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                    VkDebugUtilsMessageTypeFlagsEXT types,
                                                    const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                    void* instance);

    Api m_api;
    Validation m_validation;
    VkInstance m_handle = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT m_messenger = VK_NULL_HANDLE;
    mutable std::mutex m_mutex;
    std::vector<std::string> m_messages;  // under m_mutex
};

}  // namespace ingle::backend::vulkan
