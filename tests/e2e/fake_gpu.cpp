// A Vulkan driver that passes another one's device off as a graphics card, and crashes where it is told to:
//
//   FAKE_GPU_DRIVER   the library of the real driver
//   FAKE_GPU_CRASHES  "probe": at the first call of any process. "trial": at vkCreateDevice, only where
//                     drivers are tried out. "device": at vkCreateDevice, "submit": at vkQueueSubmit once
//                     the file FAKE_GPU_TRIGGER exists; these only where answers are computed.
//                     "lost": from then on vkQueueSubmit says that the device is lost, while the file exists.
//   FAKE_GPU_SIGNAL   the signal of the crash (default: a segmentation fault)
//   FAKE_GPU_EXIT     it calls exit() with this status instead
//   FAKE_GPU_SLOW     a file: while it is there each vkQueueSubmit wastes 100 ms, far more than any
//   processor, however
//                     busy, needs for a token of a small model
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

bool triesDriversOut() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string words{std::istreambuf_iterator<char>(file), {}};
    return words.find("--probe-devices") != std::string::npos;
}

void crashAt(std::string_view where) {
    static const std::string crashes = environment("FAKE_GPU_CRASHES");
    if (crashes != where || (where != "probe" && triesDriversOut() != (where == "trial"))) return;
    static const std::string signal = environment("FAKE_GPU_SIGNAL"), status = environment("FAKE_GPU_EXIT");
    if (!status.empty()) std::exit(std::atoi(status.c_str()));
    ::kill(::getpid(), signal.empty() ? SIGSEGV : std::atoi(signal.c_str()));
    ::pause();
}

template <typename Function>
Function real(const char* name) {
    static void* driver = ::dlopen(environment("FAKE_GPU_DRIVER").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!driver) std::fprintf(stderr, "fake_gpu: %s\n", ::dlerror());
    return driver ? reinterpret_cast<Function>(::dlsym(driver, name)) : nullptr;
}

PFN_vkVoidFunction realEntry(VkInstance instance, const char* name) {
    static const auto find = real<PFN_vkGetInstanceProcAddr>("vk_icdGetInstanceProcAddr");
    return find ? find(instance, name) : nullptr;
}

// The entries that are replaced. The real ones are found when the replacement is asked for.
PFN_vkGetPhysicalDeviceProperties g_properties;
PFN_vkGetPhysicalDeviceProperties2 g_properties2;
PFN_vkCreateDevice g_createDevice;
PFN_vkGetDeviceProcAddr g_deviceEntry;
PFN_vkQueueSubmit g_submit;

void disguise(VkPhysicalDeviceProperties& properties) {
    properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    std::snprintf(properties.deviceName, sizeof properties.deviceName, "Fake GPU");
}

void VKAPI_CALL getProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
    g_properties(device, properties);
    disguise(*properties);
}

void VKAPI_CALL getProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
    g_properties2(device, properties);
    disguise(properties->properties);
}

VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                 const VkAllocationCallbacks* callbacks, VkDevice* device) {
    crashAt("trial");
    crashAt("device");
    return g_createDevice(physical, info, callbacks, device);
}

VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
    static const std::string trigger = environment("FAKE_GPU_TRIGGER");
    if (::access(trigger.c_str(), F_OK) == 0) {
        crashAt("submit");
        if (environment("FAKE_GPU_CRASHES") == "lost") return VK_ERROR_DEVICE_LOST;
    }
    static const std::string slow = environment("FAKE_GPU_SLOW");
    if (::access(slow.c_str(), F_OK) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return g_submit(queue, count, infos, fence);
}

PFN_vkVoidFunction VKAPI_CALL deviceEntry(VkDevice device, const char* name) {
    const PFN_vkVoidFunction found = g_deviceEntry(device, name);
    if (std::string_view(name) != "vkQueueSubmit") return found;
    g_submit = reinterpret_cast<PFN_vkQueueSubmit>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(submit);
}

template <typename Function>
PFN_vkVoidFunction replace(PFN_vkVoidFunction found, Function& kept, Function replacement) {
    kept = reinterpret_cast<Function>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(replacement);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
    crashAt("probe");
    const auto negotiate = real<VkResult (*)(uint32_t*)>("vk_icdNegotiateLoaderICDInterfaceVersion");
    return negotiate ? negotiate(version) : VK_ERROR_INCOMPATIBLE_DRIVER;
}

__attribute__((visibility("default"))) PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                                    const char* name) {
    const PFN_vkVoidFunction found = realEntry(instance, name);
    if (!found) return nullptr;
    const std::string_view entry(name);
    if (entry == "vkGetPhysicalDeviceProperties") return replace(found, g_properties, getProperties);
    if (entry == "vkGetPhysicalDeviceProperties2" || entry == "vkGetPhysicalDeviceProperties2KHR")
        return replace(found, g_properties2, getProperties2);
    if (entry == "vkCreateDevice") return replace(found, g_createDevice, createDevice);
    if (entry == "vkGetDeviceProcAddr") return replace(found, g_deviceEntry, deviceEntry);
    return found;
}

}  // extern "C"
