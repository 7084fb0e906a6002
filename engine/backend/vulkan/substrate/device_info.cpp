#include "engine/backend/vulkan/substrate/device_info.h"

#include <algorithm>
#include <utility>

namespace ingle::backend::vulkan {
namespace {

constexpr uint64_t kMiB = 1 << 20;
/// Every desktop driver has it; shaders may count on it.
constexpr uint32_t kNeededSharedBytes = 32 * 1024;
constexpr uint32_t kNeededWorkgroupSize = 256;
/// Of matrices as most devices multiply them; and of the subgroups that do.
constexpr uint32_t kMatrixSide = 16;
constexpr uint32_t kMatrixSubgroup = 32;

/// Whether the device has named extensions.
class Extensions {
  public:
    Extensions(const Api& api, VkPhysicalDevice device) {
        uint32_t count = 0;
        if (api.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) return;
        m_properties.resize(count);
        // A list that grew in between is cut short, which is no harm.
        if (api.EnumerateDeviceExtensionProperties(device, nullptr, &count, m_properties.data()) < 0)
            count = 0;
        m_properties.resize(count);
    }
    bool has(std::string_view name) const {
        return std::ranges::any_of(m_properties,
                                   [&](const auto& property) { return property.extensionName == name; });
    }

  private:
    std::vector<VkExtensionProperties> m_properties;
};

DeviceKind kindOf(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
            return DeviceKind::Discrete;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return DeviceKind::Integrated;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
            return DeviceKind::Virtual;
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
            return DeviceKind::Cpu;
        default:
            return DeviceKind::Other;
    }
}

Uuid uuidOf(const uint8_t (&bytes)[VK_UUID_SIZE]) {
    Uuid uuid;
    std::copy_n(bytes, uuid.size(), uuid.begin());
    return uuid;
}

/// The shape of matrices to multiply with, and the subgroups that do; m is 0 where there is none.
MatrixUnits queryMatrixUnits(const Api& api, const DeviceInfo& info) {
    uint32_t count = 0;
    if (api.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(info.handle, &count, nullptr) != VK_SUCCESS)
        return {};
    std::vector<VkCooperativeMatrixPropertiesKHR> shapes(
        count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR});
    if (api.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(info.handle, &count, shapes.data()) < 0)
        return {};
    shapes.resize(count);
    std::erase_if(shapes, [](const VkCooperativeMatrixPropertiesKHR& shape) {
        return shape.AType != VK_COMPONENT_TYPE_FLOAT16_KHR || shape.BType != VK_COMPONENT_TYPE_FLOAT16_KHR ||
               shape.CType != VK_COMPONENT_TYPE_FLOAT32_KHR ||
               shape.ResultType != VK_COMPONENT_TYPE_FLOAT32_KHR || shape.scope != VK_SCOPE_SUBGROUP_KHR;
    });
    return chooseMatrixUnits(shapes, info.limits);
}

void queryProperties(const Api& api, const Extensions& extensions, DeviceInfo& info) {
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
    VkPhysicalDeviceVulkan12Properties v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
    VkPhysicalDeviceShaderIntegerDotProductProperties dot{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES};
    VkPhysicalDeviceSubgroupSizeControlProperties subgroup{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
    VkPhysicalDeviceShaderCorePropertiesAMD amd{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
    chain(properties, v11);
    chain(properties, v12);
    if (extensions.has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) chain(properties, nvidia);
    if (extensions.has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) chain(properties, amd);
    if (info.features.integerDot) chain(properties, dot);
    if (extensions.has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) chain(properties, subgroup);
    api.GetPhysicalDeviceProperties2(info.handle, &properties);

    info.driverName = v12.driverName;
    info.driverInfo = v12.driverInfo;
    info.deviceUuid = uuidOf(v11.deviceUUID);
    info.driverUuid = uuidOf(v11.driverUUID);
    const bool inCompute = (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    const auto operations = v11.subgroupSupportedOperations;
    info.features.subgroupBasic = inCompute && (operations & VK_SUBGROUP_FEATURE_BASIC_BIT) != 0;
    info.features.subgroupArithmetic = inCompute && (operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0;
    info.features.integerDotAccelerated = dot.integerDotProduct4x8BitPackedSignedAccelerated == VK_TRUE;
    info.features.subgroupSizeControl =
        info.features.subgroupSizeControl &&
        (subgroup.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;

    const VkPhysicalDeviceLimits& limits = properties.properties.limits;
    info.limits.maxStorageRangeBytes = limits.maxStorageBufferRange;
    info.limits.maxAllocationBytes = v11.maxMemoryAllocationSize;
    info.limits.maxBindings =
        std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers);
    info.limits.maxWorkgroupSize =
        std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
    info.limits.maxSharedBytes = limits.maxComputeSharedMemorySize;
    std::copy_n(limits.maxComputeWorkGroupCount, 3, info.limits.maxGroups.begin());
    info.limits.subgroupSize = v11.subgroupSize;
    info.limits.multiprocessors =
        std::max(nvidia.shaderSMCount,
                 amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray);
    const bool controlled = info.features.subgroupSizeControl;
    info.limits.minSubgroupSize = controlled ? subgroup.minSubgroupSize : v11.subgroupSize;
    info.limits.maxSubgroupSize = controlled ? subgroup.maxSubgroupSize : v11.subgroupSize;
    info.limits.maxSubgroups = controlled ? subgroup.maxComputeWorkgroupSubgroups : 0;
    if (info.features.cooperativeMatrices) info.matrixUnits = queryMatrixUnits(api, info);
    info.features.cooperativeMatrices = info.matrixUnits.m > 0;
}

void queryFeatures(const Api& api, const Extensions& extensions, DeviceInfo& info) {
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES};
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES};
    VkPhysicalDevicePipelineRobustnessFeaturesEXT robustness{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    chain(features, v11);
    chain(features, v12);
    if (extensions.has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) chain(features, matrices);
    if (extensions.has(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) chain(features, dot);
    if (extensions.has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) chain(features, subgroup);
    if (extensions.has(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME)) chain(features, robustness);
    api.GetPhysicalDeviceFeatures2(info.handle, &features);

    info.features.storage16 = v11.storageBuffer16BitAccess == VK_TRUE;
    info.features.storage8 = v12.storageBuffer8BitAccess == VK_TRUE;
    info.features.int8 = v12.shaderInt8 == VK_TRUE;
    info.features.timelineSemaphores = v12.timelineSemaphore == VK_TRUE;
    info.features.float16 = v12.shaderFloat16 == VK_TRUE;
    info.features.integerDot = dot.shaderIntegerDotProduct == VK_TRUE;
    info.features.subgroupSizeControl = subgroup.subgroupSizeControl == VK_TRUE;
    info.features.fullSubgroups = subgroup.computeFullSubgroups == VK_TRUE;
    info.features.pipelineRobustness = robustness.pipelineRobustness == VK_TRUE;
    // Matrices need whole subgroups, and the memory model is then that of all shaders, some of which add up
    // for the whole device.
    info.features.cooperativeMatrices =
        matrices.cooperativeMatrix == VK_TRUE && info.features.fullSubgroups &&
        v12.vulkanMemoryModel == VK_TRUE && v12.vulkanMemoryModelDeviceScope == VK_TRUE &&
        info.features.float16 && api.GetPhysicalDeviceCooperativeMatrixPropertiesKHR;
    info.features.memoryBudget = extensions.has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
}

void queryQueues(const Api& api, DeviceInfo& info) {
    uint32_t count = 0;
    api.GetPhysicalDeviceQueueFamilyProperties(info.handle, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    api.GetPhysicalDeviceQueueFamilyProperties(info.handle, &count, families.data());
    const auto computes = [](const VkQueueFamilyProperties& family) {
        return family.queueCount > 0 && (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
    };
    // A family for compute alone is preferred: its work does not wait behind the desktop's drawing.
    auto chosen = std::ranges::find_if(families, [&](const VkQueueFamilyProperties& family) {
        return computes(family) && (family.queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0;
    });
    if (chosen == families.end()) chosen = std::ranges::find_if(families, computes);
    info.features.computeQueue = chosen != families.end();
    if (info.features.computeQueue) info.queueFamily = static_cast<uint32_t>(chosen - families.begin());
}

std::string hex(const Uuid& uuid) {
    std::string text;
    for (const uint8_t byte : uuid) text += fmt::format("{:02x}", byte);
    return text;
}

}  // namespace

std::string_view kindName(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::Discrete:
            return "discrete";
        case DeviceKind::Integrated:
            return "integrated";
        case DeviceKind::Virtual:
            return "virtual";
        case DeviceKind::Cpu:
            return "software";
        case DeviceKind::Other:
            break;
    }
    return "other";
}

DeviceMemory queryMemory(const Api& api, VkPhysicalDevice device, bool memoryBudget) {
    VkPhysicalDeviceMemoryProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    if (memoryBudget) chain(properties, budget);
    api.GetPhysicalDeviceMemoryProperties2(device, &properties);
    DeviceMemory memory;
    const VkPhysicalDeviceMemoryProperties& found = properties.memoryProperties;
    for (uint32_t i = 0; i < found.memoryHeapCount; ++i) {
        const VkMemoryHeap& heap = found.memoryHeaps[i];
        // Some drivers state a budget beyond the heap's size.
        memory.heaps.push_back(
            {.bytes = heap.size,
             .budgetBytes = memoryBudget ? std::min(budget.heapBudget[i], heap.size) : heap.size,
             .usedBytes = memoryBudget ? budget.heapUsage[i] : 0,
             .deviceLocal = (heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0});
    }
    for (uint32_t i = 0; i < found.memoryTypeCount; ++i)
        memory.types.push_back({found.memoryTypes[i].heapIndex, found.memoryTypes[i].propertyFlags});
    return memory;
}

DeviceInfo queryDevice(const Api& api, VkPhysicalDevice device) {
    DeviceInfo info;
    info.handle = device;
    VkPhysicalDeviceProperties properties{};
    api.GetPhysicalDeviceProperties(device, &properties);
    info.name = properties.deviceName;
    info.kind = kindOf(properties.deviceType);
    info.vulkanVersion = properties.apiVersion;
    info.vendorId = properties.vendorID;
    info.deviceId = properties.deviceID;
    info.driverVersion = properties.driverVersion;
    info.pipelineCacheUuid = uuidOf(properties.pipelineCacheUUID);
    if (info.vulkanVersion < VK_API_VERSION_1_2) return info;
    const Extensions extensions(api, device);
    queryFeatures(api, extensions, info);
    queryProperties(api, extensions, info);
    queryQueues(api, info);
    info.memory = queryMemory(api, device, info.features.memoryBudget);
    return info;
}

std::string refusalOf(const DeviceInfo& device) {
    if (device.vulkanVersion < VK_API_VERSION_1_2)
        return fmt::format("{} offers Vulkan {}.{}, but 1.2 is needed", device.name,
                           VK_API_VERSION_MAJOR(device.vulkanVersion),
                           VK_API_VERSION_MINOR(device.vulkanVersion));
    const DeviceFeatures& features = device.features;
    const DeviceLimits& limits = device.limits;
    const std::pair<bool, std::string_view> needs[] = {
        {features.computeQueue, "a compute queue"},
        {features.storage16, "16-bit storage"},
        {features.storage8, "8-bit storage"},
        {features.int8, "8-bit arithmetic"},
        {features.subgroupBasic && features.subgroupArithmetic, "subgroup arithmetic"},
        {features.timelineSemaphores, "timeline semaphores"},
        {limits.maxSharedBytes >= kNeededSharedBytes, "32 KiB of shared memory"},
        {limits.maxWorkgroupSize >= kNeededWorkgroupSize, "workgroups of 256"},
        {limits.maxBindings >= kMaxBindings, "12 storage buffers in a shader"},
    };
    std::string missing;
    for (const auto& [present, name] : needs) {
        if (present) continue;
        if (!missing.empty()) missing += ", ";
        missing += name;
    }
    return missing.empty() ? std::string() : fmt::format("{} lacks {}", device.name, missing);
}

MatrixUnits chooseMatrixUnits(std::span<const VkCooperativeMatrixPropertiesKHR> shapes,
                              const DeviceLimits& limits) {
    const auto isSmall = [](uint32_t size) { return size == kMatrixSide / 2 || size == kMatrixSide; };
    MatrixUnits chosen;
    for (const VkCooperativeMatrixPropertiesKHR& shape : shapes) {
        if (!isSmall(shape.MSize) || !isSmall(shape.NSize) || !isSmall(shape.KSize)) continue;
        const MatrixUnits units{shape.MSize, shape.NSize, shape.KSize};
        if (units.m * units.n * units.k > chosen.m * chosen.n * chosen.k) chosen = units;
    }
    const bool isUsual = chosen.m * chosen.n * chosen.k == kMatrixSide * kMatrixSide * kMatrixSide &&
                         limits.minSubgroupSize <= kMatrixSubgroup &&
                         kMatrixSubgroup <= limits.maxSubgroupSize;
    // Other shapes are those of the narrowest subgroups.
    chosen.subgroupSize = isUsual ? kMatrixSubgroup : limits.minSubgroupSize;
    return chosen;
}

uint64_t availableBytes(const MemoryHeap& heap) {
    const uint64_t reserve = std::max(512 * kMiB, heap.bytes / 10);
    const uint64_t budget = std::min(heap.budgetBytes, heap.bytes);
    const uint64_t free = budget - std::min(budget, heap.usedBytes);
    return free - std::min(free, reserve);
}

std::vector<DeviceInfo> withoutTwins(std::vector<DeviceInfo> devices) {
    std::vector<DeviceInfo> kept;
    for (DeviceInfo& device : devices) {
        // Some drivers leave the UUID zero: such devices are nobody's twins.
        const auto twin = device.deviceUuid == Uuid{}
                              ? kept.end()
                              : std::ranges::find(kept, device.deviceUuid, &DeviceInfo::deviceUuid);
        if (twin == kept.end()) {
            kept.push_back(std::move(device));
        } else if (!refusalOf(*twin).empty() && refusalOf(device).empty()) {
            *twin = std::move(device);
        }
    }
    return kept;
}

std::string driverIdentity(const DeviceInfo& device) {
    return fmt::format("{}-{}-{:08x}", hex(device.deviceUuid), hex(device.driverUuid), device.driverVersion);
}

}  // namespace ingle::backend::vulkan
