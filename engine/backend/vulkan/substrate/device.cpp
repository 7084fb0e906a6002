#include "engine/backend/vulkan/substrate/device.h"

#include <algorithm>

#include "engine/backend/vulkan/substrate/allocator.h"

namespace ingle::backend::vulkan {
namespace {

/// Far longer than any submission may take (they are kept to fractions of a second), so work that is not done
/// by then will not end.
constexpr std::chrono::seconds kSettleLimit{5};

}  // namespace

Result<std::unique_ptr<Device>> Device::create(const Instance& instance, const DeviceInfo& info) {
    if (const std::string refusal = refusalOf(info); !refusal.empty())
        return fail(ErrorCode::Unsupported, "{}", refusal);
    std::unique_ptr<Device> device(new Device(instance, info));
    INGLE_TRY(device->open());
    return device;
}

Status Device::open() {
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .queueFamilyIndex = m_info.queueFamily,
                                        .queueCount = 1,
                                        .pQueuePriorities = &priority};
    const DeviceFeatures& has = m_info.features;
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    // Bounds checks cost speed; with validation on, a kernel that reads too far shall do no harm.
    features.features.robustBufferAccess = m_validation == Validation::On;
    VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    v11.storageBuffer16BitAccess = VK_TRUE;
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    v12.storageBuffer8BitAccess = VK_TRUE;
    v12.shaderInt8 = VK_TRUE;
    v12.timelineSemaphore = VK_TRUE;
    v12.shaderFloat16 = has.float16;
    v12.vulkanMemoryModel = has.cooperativeMatrices;
    v12.vulkanMemoryModelDeviceScope = has.cooperativeMatrices;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES};
    dot.shaderIntegerDotProduct = VK_TRUE;
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES};
    subgroup.subgroupSizeControl = VK_TRUE;
    subgroup.computeFullSubgroups = has.fullSubgroups;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    matrices.cooperativeMatrix = VK_TRUE;
    VkPhysicalDevicePipelineRobustnessFeaturesEXT robustness{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT};
    robustness.pipelineRobustness = VK_TRUE;

    std::vector<const char*> extensions;
    chain(features, v11);
    chain(features, v12);
    if (has.integerDot) {
        chain(features, dot);
        extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    }
    if (has.subgroupSizeControl) {
        chain(features, subgroup);
        extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    }
    if (has.cooperativeMatrices) {
        chain(features, matrices);
        extensions.push_back(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
    }
    if (has.pipelineRobustness) {
        chain(features, robustness);
        extensions.push_back(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
    }
    if (has.memoryBudget) extensions.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);

    const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = &features,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queue,
                                  .enabledExtensionCount = static_cast<uint32_t>(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data()};
    INGLE_TRY(check(m_api.CreateDevice(m_info.handle, &info, nullptr, &m_handle), "vkCreateDevice"));
    INGLE_TRY(m_api.loadDevice(m_handle));
    m_api.GetDeviceQueue(m_handle, m_info.queueFamily, 0, &m_queue);
    const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                         .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo semaphore{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    return check(m_api.CreateSemaphore(m_handle, &semaphore, nullptr, &m_timeline), "vkCreateSemaphore");
}

Device::~Device() {
    if (!m_handle || !m_api.DestroyDevice || !settle()) return;
    if (m_timeline) m_api.DestroySemaphore(m_handle, m_timeline, nullptr);
    m_api.DestroyDevice(m_handle, nullptr);
}

Status Device::check(VkResult result, std::string_view call) {
    if (result == VK_ERROR_DEVICE_LOST) m_lost = true;
    return vulkan::check(result, call);
}

Status Device::checkNotLost() const {
    if (m_lost) return fail(ErrorCode::Device, "the graphics device {} stopped responding", m_info.name);
    return {};
}

Result<uint64_t> Device::submit(VkCommandBuffer commands) {
    INGLE_TRY(checkNotLost());
    const uint64_t value = m_submitted + 1;
    const VkTimelineSemaphoreSubmitInfo timeline{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                 .signalSemaphoreValueCount = 1,
                                                 .pSignalSemaphoreValues = &value};
    const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                            .pNext = &timeline,
                            .commandBufferCount = 1,
                            .pCommandBuffers = &commands,
                            .signalSemaphoreCount = 1,
                            .pSignalSemaphores = &m_timeline};
    INGLE_TRY(check(m_api.QueueSubmit(m_queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit"));
    m_submitted = value;
    return value;
}

VkResult Device::waitRaw(uint64_t value, std::chrono::nanoseconds limit) const {
    const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                   .semaphoreCount = 1,
                                   .pSemaphores = &m_timeline,
                                   .pValues = &value};
    return m_api.WaitSemaphores(m_handle, &info, static_cast<uint64_t>(limit.count()));
}

Status Device::wait(uint64_t value, std::chrono::nanoseconds limit) {
    INGLE_TRY(checkNotLost());
    if (value > m_submitted)
        return fail(ErrorCode::InvalidArgument, "waiting for submission {}, but only {} were queued", value,
                    m_submitted);
    const VkResult result = waitRaw(value, limit);
    if (result == VK_TIMEOUT) {
        m_lost = true;
        return fail(ErrorCode::Device, "the graphics device {} did not finish its work within {} ms",
                    m_info.name, std::chrono::duration_cast<std::chrono::milliseconds>(limit).count());
    }
    INGLE_TRY(check(result, "vkWaitSemaphores"));
    m_settled = std::max(m_settled, value);
    return {};
}

Result<uint64_t> Device::completed() {
    INGLE_TRY(checkNotLost());
    uint64_t value = 0;
    INGLE_TRY(
        check(m_api.GetSemaphoreCounterValue(m_handle, m_timeline, &value), "vkGetSemaphoreCounterValue"));
    return value;
}

bool Device::settle(uint64_t value) {
    if (m_hangs || value <= m_settled) return !m_hangs;
    // Of a lost device Vulkan promises that a wait ends soon, and that its objects may be destroyed.
    m_hangs = waitRaw(value, kSettleLimit) == VK_TIMEOUT;
    m_settled = value;
    return !m_hangs;
}

uint64_t Device::availableBytes(uint32_t heap) const {
    const DeviceMemory memory = queryMemory(m_api, m_info.handle, m_info.features.memoryBudget);
    MemoryHeap now = memory.heaps[heap];
    if (!m_info.features.memoryBudget) now.usedBytes = m_allocated[heap];
    const uint64_t available = vulkan::availableBytes(now);
    if (heap != heapOf(m_info, MemoryUse::Device)) return available;
    return std::min(available, m_limit - std::min(m_limit, m_allocated[heap]));
}

}  // namespace ingle::backend::vulkan
