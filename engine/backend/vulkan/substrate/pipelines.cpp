#include "engine/backend/vulkan/substrate/pipelines.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/backend/vulkan/substrate/cooperative_matrix.h"
#include "engine/backend/vulkan/substrate/pipeline_cache.h"
#include "engine/backend/vulkan/substrate/shaders.h"
#include "engine/base/cpu_features.h"
#include "engine/base/thread_pool.h"

namespace ingle::backend::vulkan {

Result<std::unique_ptr<Pipelines>> Pipelines::create(Device& device, const std::string& cacheFolder) {
    std::unique_ptr<Pipelines> pipelines(new Pipelines(device));
    INGLE_TRY(pipelines->open(cacheFolder));
    return pipelines;
}

Status Pipelines::open(const std::string& cacheFolder) {
    const Api& api = m_device.api();
    std::array<VkDescriptorSetLayoutBinding, kMaxBindings> bindings{};
    for (uint32_t i = 0; i < kMaxBindings; ++i)
        bindings[i] = {.binding = i,
                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                       .descriptorCount = 1,
                       .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                              .bindingCount = kMaxBindings,
                                              .pBindings = bindings.data()};
    INGLE_TRY(m_device.check(api.CreateDescriptorSetLayout(m_device.handle(), &set, nullptr, &m_setLayout),
                             "vkCreateDescriptorSetLayout"));
    const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, kMaxPushBytes};
    const VkPipelineLayoutCreateInfo layout{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 1,
                                            .pSetLayouts = &m_setLayout,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &push};
    INGLE_TRY(m_device.check(api.CreatePipelineLayout(m_device.handle(), &layout, nullptr, &m_layout),
                             "vkCreatePipelineLayout"));

    m_cachePath = pipelineCachePath(cacheFolder, m_device.info());
    const std::vector<std::byte> kept = readPipelineCache(m_cachePath, m_device.info());
    const VkPipelineCacheCreateInfo cache{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                          .initialDataSize = kept.size(),
                                          .pInitialData = kept.data()};
    return m_device.check(api.CreatePipelineCache(m_device.handle(), &cache, nullptr, &m_cache),
                          "vkCreatePipelineCache");
}

Pipelines::~Pipelines() {
    if (!m_device.settle()) return;
    const Api& api = m_device.api();
    for (const auto& [spec, pipeline] : m_pipelines)
        api.DestroyPipeline(m_device.handle(), pipeline.handle, nullptr);
    if (m_cache) api.DestroyPipelineCache(m_device.handle(), m_cache, nullptr);
    if (m_layout) api.DestroyPipelineLayout(m_device.handle(), m_layout, nullptr);
    if (m_setLayout) api.DestroyDescriptorSetLayout(m_device.handle(), m_setLayout, nullptr);
}

Result<const Pipeline*> Pipelines::compile(const PipelineSpec& spec) {
    if (const auto known = m_pipelines.find(spec); known != m_pipelines.end()) return &known->second;
    INGLE_TRY_ASSIGN(const auto pipelines, compile(std::span(&spec, 1)));
    return pipelines.front();
}

Result<std::vector<const Pipeline*>> Pipelines::compile(std::span<const PipelineSpec> specs) {
    std::vector<const Pipeline*> pipelines;
    for (const Result<const Pipeline*>& compiled : compileEach(specs)) {
        INGLE_TRY(compiled);
        pipelines.push_back(*compiled);
    }
    return pipelines;
}

std::vector<Result<const Pipeline*>> Pipelines::compileEach(std::span<const PipelineSpec> specs) {
    std::vector<PipelineSpec> missing;
    for (const PipelineSpec& spec : specs)
        if (!m_pipelines.contains(spec)) missing.push_back(spec);
    std::ranges::sort(missing);
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());

    std::vector<Result<VkPipeline>> built(missing.size(), VkPipeline(VK_NULL_HANDLE));
    const size_t threads = std::min<size_t>(base::physicalCores(), missing.size());
    if (threads > 0) {
        base::ThreadPool pool(static_cast<uint32_t>(threads));
        pool.parallelFor(missing.size(), 1, [&](size_t begin, size_t end, uint32_t) {
            for (size_t i = begin; i < end; ++i) built[i] = build(missing[i]);
        });
    }
    std::map<PipelineSpec, Error> failures;
    for (size_t i = 0; i < missing.size(); ++i) {
        if (built[i]) {
            const auto entry = m_pipelines.emplace(missing[i], Pipeline{*built[i], {}}).first;
            entry->second.shader = entry->first.shader;
        } else {
            failures.emplace(missing[i], built[i].error());
        }
    }
    std::vector<Result<const Pipeline*>> pipelines;
    pipelines.reserve(specs.size());
    for (const PipelineSpec& spec : specs) {
        const auto failure = failures.find(spec);
        if (failure != failures.end())
            pipelines.emplace_back(tl::unexpected(failure->second));
        else
            pipelines.emplace_back(&m_pipelines.at(spec));
    }
    return pipelines;
}

Status Pipelines::checkSpec(const PipelineSpec& spec) const {
    if (!findShader(spec.shader))
        return fail(ErrorCode::InvalidArgument, "there is no shader {}", spec.shader);
    const DeviceLimits& limits = m_device.info().limits;
    const uint32_t workgroup = spec.constants.empty() ? 1 : spec.constants.front();
    if (workgroup == 0 || workgroup > limits.maxWorkgroupSize)
        return fail(ErrorCode::InvalidArgument, "shader {} in workgroups of {}; this device can do {}",
                    spec.shader, workgroup, limits.maxWorkgroupSize);
    if (spec.subgroupSize == 0) return {};
    if (!m_device.info().features.subgroupSizeControl || spec.subgroupSize < limits.minSubgroupSize ||
        spec.subgroupSize > limits.maxSubgroupSize)
        return fail(ErrorCode::InvalidArgument, "shader {} in subgroups of {}; this device can do {} to {}",
                    spec.shader, spec.subgroupSize, limits.minSubgroupSize, limits.maxSubgroupSize);
    if (limits.maxSubgroups > 0 && workgroup > limits.maxSubgroups * spec.subgroupSize)
        return fail(ErrorCode::InvalidArgument, "shader {} in {} subgroups; this device can do {}",
                    spec.shader, (workgroup + spec.subgroupSize - 1) / spec.subgroupSize,
                    limits.maxSubgroups);
    return {};
}

Result<VkPipeline> Pipelines::build(const PipelineSpec& spec) const {
    INGLE_TRY(checkSpec(spec));
    const Api& api = m_device.api();
    const std::vector<uint32_t> words = withKhrMatrices(findShader(spec.shader)->words);
    const VkShaderModuleCreateInfo module{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = words.size() * sizeof(uint32_t),
                                          .pCode = words.data()};
    VkShaderModule shader = VK_NULL_HANDLE;
    INGLE_TRY(m_device.check(api.CreateShaderModule(m_device.handle(), &module, nullptr, &shader),
                             "vkCreateShaderModule"));

    std::vector<VkSpecializationMapEntry> entries;
    for (uint32_t i = 0; i < spec.constants.size(); ++i)
        entries.push_back({i, static_cast<uint32_t>(i * sizeof(uint32_t)), sizeof(uint32_t)});
    const VkSpecializationInfo constants{.mapEntryCount = static_cast<uint32_t>(entries.size()),
                                         .pMapEntries = entries.data(),
                                         .dataSize = spec.constants.size() * sizeof(uint32_t),
                                         .pData = spec.constants.data()};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = spec.subgroupSize};
    // Shapes are fixed and checked, so the driver need not guard each access; some do unless told.
    const VkPipelineRobustnessCreateInfoEXT unguarded{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
        .storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT};
    const bool mayUnguard =
        m_device.info().features.pipelineRobustness && m_device.validation() == Validation::Off;
    const bool areWhole = spec.subgroupSize > 0 && m_device.info().features.fullSubgroups &&
                          spec.constants.front() % spec.subgroupSize == 0;
    const VkComputePipelineCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .pNext = mayUnguard ? &unguarded : nullptr,
        .stage =
            {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
             .pNext = spec.subgroupSize > 0 ? &subgroup : nullptr,
             .flags =
                 areWhole
                     ? VkPipelineShaderStageCreateFlags{VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT}
                     : 0,
             .stage = VK_SHADER_STAGE_COMPUTE_BIT,
             .module = shader,
             .pName = "main",
             .pSpecializationInfo = &constants},
        .layout = m_layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    const Status created =
        m_device.check(api.CreateComputePipelines(m_device.handle(), m_cache, 1, &info, nullptr, &pipeline),
                       fmt::format("vkCreateComputePipelines for shader {}", spec.shader));
    api.DestroyShaderModule(m_device.handle(), shader, nullptr);
    INGLE_TRY(created);
    return pipeline;
}

Status Pipelines::saveCache() {
    if (m_cachePath.empty()) return {};
    const Api& api = m_device.api();
    size_t bytes = 0;
    INGLE_TRY(m_device.check(api.GetPipelineCacheData(m_device.handle(), m_cache, &bytes, nullptr),
                             "vkGetPipelineCacheData"));
    std::vector<std::byte> data(bytes);
    INGLE_TRY(m_device.check(api.GetPipelineCacheData(m_device.handle(), m_cache, &bytes, data.data()),
                             "vkGetPipelineCacheData"));
    data.resize(bytes);
    return writePipelineCache(m_cachePath, data);
}

}  // namespace ingle::backend::vulkan
