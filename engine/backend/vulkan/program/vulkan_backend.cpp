#include "engine/backend/vulkan/program/vulkan_backend.h"

#include <set>

#include "engine/backend/vulkan/program/opened_backend.h"
#include "engine/backend/vulkan/trial/device_rule.h"
#include "ingle/error_ids.h"

namespace ingle::backend::vulkan {
namespace {

Result<DeviceInfo> chooseDevice(const Instance& instance, const VulkanOptions& options) {
    INGLE_TRY_ASSIGN(auto devices, instance.devices());
    if (!options.identity.empty()) {
        std::erase_if(devices,
                      [&](const auto& device) { return driverIdentity(device) != options.identity; });
        if (devices.empty())
            return fail(ErrorCode::Unsupported, "the graphics device that was tried out is gone");
        return devices.front();
    }
    const auto picked =
        pickDevice(devices, options.device, [](const DeviceInfo& device) { return refusalOf(device); });
    if (!picked.device) return nonePicked(picked, options.device);
    return *picked.device;
}

/// What the weights of a plan take in a store of their own.
uint64_t storedBytes(const Plan& plan, const DeviceLimits& limits) {
    BlockPlan blocks(maxRangeBytes(limits));
    std::set<const tensor::Tensor*> counted;
    for (const PlanWeight& weight : plan.weights) {
        if (!counted.insert(weight.tensor).second) continue;
        for (const uint64_t bytes : storedRanges(weight, limits)) blocks.add(bytes);
    }
    return blocks.allBytes();
}

}  // namespace

Result<std::unique_ptr<OpenedBackend>> OpenedBackend::open(std::unique_ptr<Instance> instance,
                                                           const DeviceInfo& info, ActivationType activations,
                                                           const std::string& cacheFolder,
                                                           MatvecInput untimed) {
    std::unique_ptr<OpenedBackend> backend(new OpenedBackend);
    backend->m_instance = std::move(instance);
    INGLE_TRY_ASSIGN(backend->m_device, Device::create(*backend->m_instance, info));
    INGLE_TRY_ASSIGN(backend->m_pipelines, Pipelines::create(*backend->m_device, cacheFolder));
    INGLE_TRY_ASSIGN(backend->m_transfer, Transfer::create(*backend->m_device, *backend->m_pipelines));
    backend->m_matvecShapes = std::make_unique<MatvecShapes>(*backend->m_device, *backend->m_pipelines,
                                                             activations, cacheFolder, untimed);
    backend->m_matmulKernels =
        std::make_unique<MatmulKernels>(backend->m_device->info(), activations, cacheFolder);
    INGLE_TRY_ASSIGN(AttentionKernels attention,
                     AttentionKernels::create(*backend->m_device, *backend->m_pipelines, activations));
    backend->m_attentionKernels = std::make_unique<AttentionKernels>(std::move(attention));
    return backend;
}

OpenedBackend::~OpenedBackend() {
    if (m_device && !m_device->settle()) (void)m_instance.release();
}

std::string OpenedBackend::deviceName() const {
    const DeviceInfo& info = m_device->info();
    return fmt::format("{}, {}", info.name, info.driverInfo);
}

bool OpenedBackend::supports(OpCode code) const {
    const auto isAlone = [&](const VulkanOp& op) { return op.codes.size() == 1 && op.codes[0] == code; };
    return std::ranges::any_of(allVulkanOps(),
                               [&](const VulkanOpList* list) { return std::ranges::any_of(*list, isAlone); });
}

Result<std::unique_ptr<MemoryPool>> OpenedBackend::createMemory(const MemorySpec& spec,
                                                                const MemoryOptions& options) {
    return VulkanMemoryPool::create(context(), spec, options);
}

OpenedBackend::HeapBytes OpenedBackend::workOf(const Plan& plan, const MemorySpec& memory,
                                               const MemoryNeed& need) const {
    const DeviceInfo& info = m_device->info();
    const PoolBytes pool = VulkanMemoryPool::bytesFor(
        context(), memory,
        {.kv = need.kv,
         .maxTokens = static_cast<uint32_t>(std::min<uint64_t>(need.tokens, UINT32_MAX)),
         .reservedSequences = need.sequences});
    HeapBytes bytes{VulkanProgram::bufferBytes(plan, m_fusion, context()) + pool.slots + need.otherBytes};
    const bool isOneHeap = heapOf(info, pageUse(need.kvMemory)) == heapOf(info, MemoryUse::Device);
    (isOneHeap ? bytes.device : bytes.main) += pool.pages;
    return bytes;
}

Status OpenedBackend::checkRoom(const Plan& plan, const MemorySpec& memory, const MemoryNeed& need) const {
    const DeviceInfo& info = m_device->info();
    const auto freeFor = [&](MemoryUse use) {
        const auto heap = heapOf(info, use);
        return heap ? m_device->availableBytes(*heap) : 0;
    };
    const auto inGiB = [](uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); };
    HeapBytes needed = workOf(plan, memory, need);
    needed.device += storedBytes(plan, info.limits);
    const uint64_t free = freeFor(MemoryUse::Device), freeMain = freeFor(MemoryUse::Main);
    if (needed.main > freeMain)
        return fail(ErrorCode::OutOfMemory,
                    "{} may use {:.1f} GiB of the computer's memory, but conversations need {:.1f} GiB there",
                    info.name, inGiB(freeMain), inGiB(needed.main));
    if (needed.device <= free) return {};
    return withId<ErrorId::TooLittleDeviceMemory>(
        fail(ErrorCode::OutOfMemory, "{} has {:.1f} GiB free, but this model needs {:.1f} GiB", info.name,
             inGiB(free), inGiB(needed.device)),
        info.name, needed.device, free);
}

Result<std::unique_ptr<Program>> OpenedBackend::compile(const Plan& plan, MemoryPool& memory) {
    std::shared_ptr<WeightStore> weights = m_weights.lock();
    if (!weights) {
        weights = std::make_shared<WeightStore>(*m_device, *m_transfer);
        m_weights = weights;
    }
    INGLE_TRY_ASSIGN(VulkanMemoryPool * pool, ownPool<VulkanMemoryPool>(memory));
    const Fusion fusion = plan.fusion == Fusion::On ? m_fusion : Fusion::Off;
    auto program = VulkanProgram::create(plan, *pool, std::move(weights), fusion);
    // A cache that cannot be written costs the next start some time, and nothing else.
    if (program) (void)m_pipelines->saveCache();
    return program;
}

Result<std::unique_ptr<Backend>> createVulkanBackend(const VulkanOptions& options) {
    INGLE_TRY_ASSIGN(auto instance, Instance::create());
    INGLE_TRY_ASSIGN(DeviceInfo info, chooseDevice(*instance, options));
    if (options.withoutUnits) info.features.cooperativeMatrices = false;
    if (options.withoutBytes) info.features.integerDot = false;
    INGLE_TRY_ASSIGN(auto backend, OpenedBackend::open(std::move(instance), info, options.activations,
                                                       options.cacheFolder, options.untimed));
    if (options.maxBytes > 0) backend->device().limitMemory(options.maxBytes);
    return backend;
}

}  // namespace ingle::backend::vulkan
