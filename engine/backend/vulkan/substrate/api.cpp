#include "engine/backend/vulkan/substrate/api.h"

#include <dlfcn.h>

namespace ingle::backend::vulkan {

Result<Api> Api::load(const std::string& library) {
    // Never closed: drivers leave threads and exit handlers behind that would outlive their code.
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return fail(ErrorCode::Unsupported, "Vulkan is not installed on this computer ({} was not found)",
                    library);
    Api api;
    api.GetInstanceProcAddr =
        reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(handle, "vkGetInstanceProcAddr"));
    if (!api.GetInstanceProcAddr)
        return fail(ErrorCode::Unsupported, "{} is not a Vulkan library: it lacks vkGetInstanceProcAddr",
                    library);
#define INGLE_VK_LOAD(name)                                                                                 \
    api.name = reinterpret_cast<PFN_vk##name>(api.GetInstanceProcAddr(VK_NULL_HANDLE, "vk" #name));         \
    if (!api.name)                                                                                          \
        return fail(ErrorCode::Unsupported, "the installed Vulkan ({}) is too old: it lacks vk{}", library, \
                    #name);
    INGLE_VK_GLOBAL_FUNCTIONS(INGLE_VK_LOAD)
#undef INGLE_VK_LOAD
    return api;
}

Status Api::loadInstance(VkInstance instance) {
#define INGLE_VK_LOAD_OPTIONAL(name) \
    name = reinterpret_cast<PFN_vk##name>(GetInstanceProcAddr(instance, "vk" #name));
#define INGLE_VK_LOAD(name)      \
    INGLE_VK_LOAD_OPTIONAL(name) \
    if (!name) return fail(ErrorCode::Device, "the Vulkan loader lacks vk{}", #name);
    INGLE_VK_INSTANCE_FUNCTIONS(INGLE_VK_LOAD)
    INGLE_VK_OPTIONAL_FUNCTIONS(INGLE_VK_LOAD_OPTIONAL)
#undef INGLE_VK_LOAD
#undef INGLE_VK_LOAD_OPTIONAL
    return {};
}

Status Api::loadDevice(VkDevice device) {
#define INGLE_VK_LOAD(name)                                                       \
    name = reinterpret_cast<PFN_vk##name>(GetDeviceProcAddr(device, "vk" #name)); \
    if (!name) return fail(ErrorCode::Device, "the graphics driver lacks vk{}", #name);
    INGLE_VK_DEVICE_FUNCTIONS(INGLE_VK_LOAD)
#undef INGLE_VK_LOAD
    return {};
}

std::string_view resultName(VkResult result) {
    switch (result) {
#define INGLE_VK_RESULT(name) \
    case name:                \
        return #name;
        INGLE_VK_RESULT(VK_SUCCESS)
        INGLE_VK_RESULT(VK_NOT_READY)
        INGLE_VK_RESULT(VK_TIMEOUT)
        INGLE_VK_RESULT(VK_INCOMPLETE)
        INGLE_VK_RESULT(VK_ERROR_OUT_OF_HOST_MEMORY)
        INGLE_VK_RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        INGLE_VK_RESULT(VK_ERROR_INITIALIZATION_FAILED)
        INGLE_VK_RESULT(VK_ERROR_DEVICE_LOST)
        INGLE_VK_RESULT(VK_ERROR_MEMORY_MAP_FAILED)
        INGLE_VK_RESULT(VK_ERROR_LAYER_NOT_PRESENT)
        INGLE_VK_RESULT(VK_ERROR_EXTENSION_NOT_PRESENT)
        INGLE_VK_RESULT(VK_ERROR_FEATURE_NOT_PRESENT)
        INGLE_VK_RESULT(VK_ERROR_INCOMPATIBLE_DRIVER)
        INGLE_VK_RESULT(VK_ERROR_TOO_MANY_OBJECTS)
        INGLE_VK_RESULT(VK_ERROR_FRAGMENTED_POOL)
        INGLE_VK_RESULT(VK_ERROR_OUT_OF_POOL_MEMORY)
        INGLE_VK_RESULT(VK_ERROR_FRAGMENTATION)
        INGLE_VK_RESULT(VK_ERROR_INVALID_SHADER_NV)
#undef INGLE_VK_RESULT
        default:
            return "an unknown error";
    }
}

Status check(VkResult result, std::string_view call) {
    switch (result) {
        case VK_ERROR_DEVICE_LOST:
            return fail(ErrorCode::Device, "the graphics device stopped responding ({}: {})", call,
                        resultName(result));
        case VK_ERROR_OUT_OF_HOST_MEMORY:
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
            return fail(ErrorCode::OutOfMemory, "the graphics driver ran out of memory ({}: {})", call,
                        resultName(result));
        default:
            // Positive values tell of a state, not of a failure.
            if (result >= 0) return {};
            return fail(ErrorCode::Device, "the graphics driver refused {} ({}, {})", call,
                        resultName(result), static_cast<int>(result));
    }
}

}  // namespace ingle::backend::vulkan
