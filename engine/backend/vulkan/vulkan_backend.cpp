#include "engine/backend/vulkan/vulkan_backend.h"

#include "engine/backend/vulkan/opened_backend.h"

namespace ingle::backend::vulkan {
namespace {

/// Lower is better. A processor is slower than the CPU backend on it: by name only.
uint32_t rankOf(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::Discrete:
            return 0;
        case DeviceKind::Integrated:
            return 1;
        case DeviceKind::Virtual:
            return 2;
        case DeviceKind::Other:
            return 3;
        case DeviceKind::Cpu:
            return 4;
    }
    return 4;
}

Result<DeviceInfo> chooseDevice(const Instance& instance, const std::string& name) {
    INGLE_TRY_ASSIGN(auto devices, instance.devices());
    devices = withoutTwins(std::move(devices));
    std::string refusal;
    const DeviceInfo* best = nullptr;
    for (const DeviceInfo& device : devices) {
        if (name.empty() ? device.kind == DeviceKind::Cpu : device.name.find(name) == std::string::npos)
            continue;
        const std::string why = refusalOf(device);
        if (!why.empty())
            refusal = why;
        else if (!best || rankOf(device.kind) < rankOf(best->kind))
            best = &device;
    }
    if (best) return *best;
    if (!refusal.empty()) return fail(ErrorCode::Unsupported, "{}", refusal);
    if (name.empty())
        return fail(ErrorCode::Unsupported, "this computer has no graphics processor for Vulkan");
    return fail(ErrorCode::Unsupported, "no Vulkan device is called \"{}\"", name);
}

}  // namespace

Result<std::unique_ptr<OpenedBackend>> OpenedBackend::open(std::unique_ptr<Instance> instance,
                                                           const DeviceInfo& info,
                                                           const std::string& cacheFolder) {
    std::unique_ptr<OpenedBackend> backend(new OpenedBackend);
    backend->m_instance = std::move(instance);
    INGLE_TRY_ASSIGN(backend->m_device, Device::create(*backend->m_instance, info));
    INGLE_TRY_ASSIGN(backend->m_pipelines, Pipelines::create(*backend->m_device, cacheFolder));
    INGLE_TRY_ASSIGN(backend->m_transfer, Transfer::create(*backend->m_device, *backend->m_pipelines));
    return backend;
}

std::string OpenedBackend::deviceName() const {
    const DeviceInfo& info = m_device->info();
    return fmt::format("{}, {}", info.name, info.driverInfo);
}

bool OpenedBackend::supports(OpCode code) const {
    return std::ranges::any_of(
        allVulkanOps(), [&](const VulkanOp* op) { return op->codes.size() == 1 && op->codes[0] == code; });
}

Result<std::unique_ptr<MemoryPool>> OpenedBackend::createMemory(const MemorySpec& spec,
                                                                const MemoryOptions& options) {
    return VulkanMemoryPool::create({*m_device, *m_pipelines, *m_transfer}, spec, options);
}

Result<std::unique_ptr<Program>> OpenedBackend::compile(const Plan& plan, MemoryPool& memory) {
    std::shared_ptr<WeightStore> weights = m_weights.lock();
    if (!weights) {
        weights = std::make_shared<WeightStore>(*m_device, *m_transfer);
        m_weights = weights;
    }
    // Pools come from createMemory() of the same backend.
    auto program = VulkanProgram::create(plan, static_cast<VulkanMemoryPool&>(memory), std::move(weights));
    // A cache that cannot be written costs the next start some time, and nothing else.
    if (program) (void)m_pipelines->saveCache();
    return program;
}

Result<std::unique_ptr<Backend>> createVulkanBackend(const VulkanOptions& options) {
    INGLE_TRY_ASSIGN(auto instance, Instance::create());
    INGLE_TRY_ASSIGN(const DeviceInfo info, chooseDevice(*instance, options.device));
    return OpenedBackend::open(std::move(instance), info, options.cacheFolder);
}

}  // namespace ingle::backend::vulkan
