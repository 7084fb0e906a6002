#include "engine/backend/vulkan/substrate/instance.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

namespace ingle::backend::vulkan {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

bool hasValidationLayer(const Api& api) {
    uint32_t count = 0;
    if (api.EnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return false;
    std::vector<VkLayerProperties> layers(count);
    if (api.EnumerateInstanceLayerProperties(&count, layers.data()) < 0) return false;
    return std::ranges::any_of(
        layers, [](const auto& layer) { return std::string_view(layer.layerName) == kValidationLayer; });
}

}  // namespace

InstanceOptions InstanceOptions::fromEnvironment() {
    const char* validation = std::getenv("INGLE_VK_VALIDATION");
    InstanceOptions options;
    if (validation && std::string_view(validation) == "1") options.validation = Validation::On;
    return options;
}

Result<std::unique_ptr<Instance>> Instance::create(const InstanceOptions& options) {
    INGLE_TRY_ASSIGN(const Api api, Api::load(options.library));
    std::unique_ptr<Instance> instance(new Instance(api, options.validation));
    INGLE_TRY(instance->open());
    return instance;
}

Status Instance::open() {
    uint32_t version = 0;
    INGLE_TRY(check(m_api.EnumerateInstanceVersion(&version), "vkEnumerateInstanceVersion"));
    if (version < VK_API_VERSION_1_2)
        return fail(ErrorCode::Unsupported, "the installed Vulkan is version {}.{}, but 1.2 is needed",
                    VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));

    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                        .pApplicationName = "Inglenook",
                                        .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                              .pApplicationInfo = &application};

    const VkDebugUtilsMessengerCreateInfoEXT messenger{
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = onMessage,
        .pUserData = this};
    const VkValidationFeatureEnableEXT synchronization =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    // The messenger is chained too, so that it hears of vkCreateInstance and vkDestroyInstance themselves.
    const VkValidationFeaturesEXT features{.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                           .pNext = &messenger,
                                           .enabledValidationFeatureCount = 1,
                                           .pEnabledValidationFeatures = &synchronization};
    const char* extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
    if (m_validation == Validation::On) {
        if (!hasValidationLayer(m_api))
            return fail(ErrorCode::Unsupported, "Vulkan's validation layer is not installed ({})",
                        kValidationLayer);
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &kValidationLayer;
        info.enabledExtensionCount = std::size(extensions);
        info.ppEnabledExtensionNames = extensions;
    }
    const VkResult created = m_api.CreateInstance(&info, nullptr, &m_handle);
    if (created == VK_ERROR_INCOMPATIBLE_DRIVER)
        return fail(ErrorCode::Unsupported, "Vulkan is installed, but no graphics driver for it");
    INGLE_TRY(check(created, "vkCreateInstance"));
    INGLE_TRY(m_api.loadInstance(m_handle));
    if (m_validation == Validation::On) {
        INGLE_TRY(check(m_api.CreateDebugUtilsMessengerEXT(m_handle, &messenger, nullptr, &m_messenger),
                        "vkCreateDebugUtilsMessengerEXT"));
    }
    return {};
}

Instance::~Instance() {
    if (m_messenger) m_api.DestroyDebugUtilsMessengerEXT(m_handle, m_messenger, nullptr);
    if (!m_handle || !m_api.DestroyInstance) return;
    // The first one stays, so that drivers are never unloaded: NVIDIA's takes thread-local storage of which
    // the C library has little and gets none back, so that it cannot be loaded a thirty-first time.
    static std::atomic<VkInstance> staying = VK_NULL_HANDLE;
    VkInstance none = VK_NULL_HANDLE;
    if (!staying.compare_exchange_strong(none, m_handle)) m_api.DestroyInstance(m_handle, nullptr);
}

Result<std::vector<DeviceInfo>> Instance::devices() const {
    uint32_t count = 0;
    INGLE_TRY(check(m_api.EnumeratePhysicalDevices(m_handle, &count, nullptr), "vkEnumeratePhysicalDevices"));
    std::vector<VkPhysicalDevice> handles(count);
    INGLE_TRY(check(m_api.EnumeratePhysicalDevices(m_handle, &count, handles.data()),
                    "vkEnumeratePhysicalDevices"));
    handles.resize(count);
    std::vector<DeviceInfo> devices;
    devices.reserve(count);
    for (VkPhysicalDevice handle : handles) devices.push_back(queryDevice(m_api, handle));
    return withoutTwins(std::move(devices));
}

std::vector<std::string> Instance::validationMessages() const {
    const std::lock_guard lock(m_mutex);
    return m_messages;
}

VkBool32 Instance::onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                             const VkDebugUtilsMessengerCallbackDataEXT* data, void* instance) {
    auto* self = static_cast<Instance*>(instance);
    const std::lock_guard lock(self->m_mutex);
    self->m_messages.emplace_back(data->pMessage);
    return VK_FALSE;
}

}  // namespace ingle::backend::vulkan
