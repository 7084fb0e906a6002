#include "engine/backend/vulkan/substrate/recorder.h"

namespace ingle::backend::vulkan {
namespace {

constexpr VkPipelineStageFlags kWork = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags kReads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

Access accessOf(const BufferRange& range, AccessKind kind) {
    return {reinterpret_cast<uint64_t>(range.buffer), range.offset, range.offset + range.bytes, kind};
}

VkAccessFlags accessesOf(VkPipelineStageFlags stages) {
    VkAccessFlags accesses = 0;
    if (stages & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT)
        accesses |= VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    if (stages & VK_PIPELINE_STAGE_TRANSFER_BIT)
        accesses |= VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    if (stages & VK_PIPELINE_STAGE_HOST_BIT) accesses |= VK_ACCESS_HOST_READ_BIT;
    return accesses;
}

/// The work of the stages before is done, and seen by that of the stages behind: through those between, where
/// a barrier for others comes in between. No stages more than have work: others would be waited for, too.
void barrier(const Api& api, VkCommandBuffer buffer, VkPipelineStageFlags from, VkPipelineStageFlags to,
             VkAccessFlags seen) {
    // What is no access of the stages' must not be named.
    const VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = kWrites & accessesOf(from),
                                 .dstAccessMask = seen & accessesOf(to)};
    api.CmdPipelineBarrier(buffer, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

}  // namespace

Commands::~Commands() {
    if (!m_device.settle(m_lastSubmission)) return;
    const Api& api = m_device.api();
    if (m_pool) api.DestroyCommandPool(m_device.handle(), m_pool, nullptr);
    if (m_descriptors) api.DestroyDescriptorPool(m_device.handle(), m_descriptors, nullptr);
}

Result<uint64_t> Commands::submit() {
    if (m_lastSubmission > 0) {
        INGLE_TRY_ASSIGN(const uint64_t completed, m_device.completed());
        if (completed < m_lastSubmission)
            return fail(ErrorCode::InvalidArgument, "commands were submitted while they still ran");
    }
    INGLE_TRY_ASSIGN(m_lastSubmission, m_device.submit(m_buffer));
    return m_lastSubmission;
}

Status Commands::run(std::chrono::nanoseconds limit) {
    INGLE_TRY_ASSIGN(const uint64_t value, submit());
    return m_device.wait(value, limit);
}

Status Recorder::checkBinding(const Dispatch& dispatch, const Binding& binding) const {
    const BufferRange& range = binding.range;
    const uint64_t limit = maxRangeBytes(m_device.info().limits);
    if (range.buffer && range.bytes > 0 && range.bytes <= limit && range.offset % kRangeAlignment == 0)
        return {};
    return fail(ErrorCode::InvalidArgument,
                "shader {} cannot bind {} bytes at {}; at most {} at a multiple of {} are possible",
                dispatch.pipeline->shader, range.bytes, range.offset, limit, kRangeAlignment);
}

Status Recorder::dispatch(Dispatch dispatch) {
    if (!dispatch.pipeline) return fail(ErrorCode::InvalidArgument, "a dispatch without a pipeline");
    if (dispatch.bindings.empty() || dispatch.bindings.size() > kMaxBindings)
        return fail(ErrorCode::InvalidArgument, "shader {} with {} buffers; 1 to {} are possible",
                    dispatch.pipeline->shader, dispatch.bindings.size(), kMaxBindings);
    for (const Binding& binding : dispatch.bindings) INGLE_TRY(checkBinding(dispatch, binding));
    const auto& most = m_device.info().limits.maxGroups;
    for (size_t i = 0; i < most.size(); ++i) {
        if (dispatch.groups[i] == 0 || dispatch.groups[i] > most[i])
            return fail(ErrorCode::InvalidArgument,
                        "shader {} in {} workgroups along axis {}; 1 to {} are possible",
                        dispatch.pipeline->shader, dispatch.groups[i], i, most[i]);
    }
    m_entries.emplace_back(std::move(dispatch));
    ++m_numDispatches;
    return {};
}

Status Recorder::copy(const BufferRange& from, const BufferRange& to) {
    if (from.bytes != to.bytes || from.bytes == 0)
        return fail(ErrorCode::InvalidArgument, "a copy of {} bytes into {} bytes", from.bytes, to.bytes);
    m_entries.emplace_back(Copy{from, to});
    return {};
}

Status Recorder::fill(const BufferRange& range, uint32_t value) {
    if (range.bytes == 0 || range.bytes % 4 != 0 || range.offset % 4 != 0)
        return fail(ErrorCode::InvalidArgument, "a fill of {} bytes at {}; multiples of 4 are possible",
                    range.bytes, range.offset);
    m_entries.emplace_back(Fill{range, value});
    return {};
}

Result<std::vector<VkDescriptorSet>> Recorder::bindBuffers(Commands& commands) const {
    std::vector<VkDescriptorSet> sets(m_numDispatches);
    if (sets.empty()) return sets;
    const Api& api = m_device.api();
    // A set takes all of its layout's descriptors from the pool, used or not.
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, m_numDispatches * kMaxBindings};
    const VkDescriptorPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .maxSets = m_numDispatches,
                                          .poolSizeCount = 1,
                                          .pPoolSizes = &size};
    INGLE_TRY(
        m_device.check(api.CreateDescriptorPool(m_device.handle(), &pool, nullptr, &commands.m_descriptors),
                       "vkCreateDescriptorPool"));
    const std::vector<VkDescriptorSetLayout> layouts(m_numDispatches, m_pipelines.setLayout());
    const VkDescriptorSetAllocateInfo allocation{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                 .descriptorPool = commands.m_descriptors,
                                                 .descriptorSetCount = m_numDispatches,
                                                 .pSetLayouts = layouts.data()};
    INGLE_TRY(m_device.check(api.AllocateDescriptorSets(m_device.handle(), &allocation, sets.data()),
                             "vkAllocateDescriptorSets"));
    auto set = sets.begin();
    for (const Entry& entry : m_entries) {
        const auto* dispatch = std::get_if<Dispatch>(&entry);
        if (!dispatch) continue;
        std::array<VkDescriptorBufferInfo, kMaxBindings> buffers{};
        const size_t count = dispatch->bindings.size();
        for (size_t i = 0; i < count; ++i) {
            const BufferRange& range = dispatch->bindings[i].range;
            buffers[i] = {range.buffer, range.offset, range.bytes};
        }
        // One write fills consecutive bindings, one descriptor each.
        const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                         .dstSet = *set++,
                                         .dstBinding = 0,
                                         .descriptorCount = static_cast<uint32_t>(count),
                                         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                         .pBufferInfo = buffers.data()};
        api.UpdateDescriptorSets(m_device.handle(), 1, &write, 0, nullptr);
    }
    return sets;
}

void Recorder::record(const Entry& entry, VkCommandBuffer buffer, VkDescriptorSet set) const {
    const Api& api = m_device.api();
    if (const auto* copy = std::get_if<Copy>(&entry)) {
        const VkBufferCopy region{copy->from.offset, copy->to.offset, copy->from.bytes};
        api.CmdCopyBuffer(buffer, copy->from.buffer, copy->to.buffer, 1, &region);
        return;
    }
    if (const auto* fill = std::get_if<Fill>(&entry)) {
        api.CmdFillBuffer(buffer, fill->range.buffer, fill->range.offset, fill->range.bytes, fill->value);
        return;
    }
    const auto& dispatch = std::get<Dispatch>(entry);
    api.CmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, dispatch.pipeline->handle);
    api.CmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipelines.layout(), 0, 1, &set, 0,
                              nullptr);
    const auto push = dispatch.push.bytes();
    if (!push.empty())
        api.CmdPushConstants(buffer, m_pipelines.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                             static_cast<uint32_t>(push.size()), push.data());
    api.CmdDispatch(buffer, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
}

std::vector<size_t> Recorder::findBarriers() const {
    std::vector<size_t> cuts;
    BarrierPlanner planner;
    std::vector<Access> accesses;
    for (size_t i = 0; i < m_entries.size(); ++i) {
        accesses.clear();
        if (const auto* dispatch = std::get_if<Dispatch>(&m_entries[i])) {
            for (const Binding& binding : dispatch->bindings)
                accesses.push_back(accessOf(binding.range, binding.access));
        } else if (const auto* copy = std::get_if<Copy>(&m_entries[i])) {
            accesses.push_back(accessOf(copy->from, AccessKind::Read));
            accesses.push_back(accessOf(copy->to, AccessKind::Write));
        } else if (const auto* fill = std::get_if<Fill>(&m_entries[i])) {
            accesses.push_back(accessOf(fill->range, AccessKind::Write));
        }
        if (planner.add(accesses)) cuts.push_back(i);
    }
    return cuts;
}

VkPipelineStageFlags Recorder::stagesOf(size_t begin, size_t end) const {
    VkPipelineStageFlags stages = 0;
    for (size_t i = begin; i < end; ++i)
        stages |= std::holds_alternative<Dispatch>(m_entries[i]) ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
                                                                 : VK_PIPELINE_STAGE_TRANSFER_BIT;
    return stages;
}

Result<std::unique_ptr<Commands>> Recorder::finish() const {
    const Api& api = m_device.api();
    std::unique_ptr<Commands> commands(new Commands(m_device));
    INGLE_TRY_ASSIGN(const std::vector<VkDescriptorSet> sets, bindBuffers(*commands));
    const VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .queueFamilyIndex = m_device.info().queueFamily};
    INGLE_TRY(m_device.check(api.CreateCommandPool(m_device.handle(), &pool, nullptr, &commands->m_pool),
                             "vkCreateCommandPool"));
    const VkCommandBufferAllocateInfo allocation{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = commands->m_pool,
                                                 .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                 .commandBufferCount = 1};
    INGLE_TRY(m_device.check(api.AllocateCommandBuffers(m_device.handle(), &allocation, &commands->m_buffer),
                             "vkAllocateCommandBuffers"));
    VkCommandBuffer buffer = commands->m_buffer;
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    INGLE_TRY(m_device.check(api.BeginCommandBuffer(buffer, &begin), "vkBeginCommandBuffer"));

    barrier(api, buffer, kWork, kWork, kReads | kWrites);  // submissions follow each other without waits
    const std::vector<size_t> cuts = findBarriers();
    auto set = sets.begin();
    for (size_t i = 0, cut = 0; i < m_entries.size(); ++i) {
        if (cut < cuts.size() && cuts[cut] == i) {
            const size_t before = cut > 0 ? cuts[cut - 1] : 0;
            const size_t behind = cut + 1 < cuts.size() ? cuts[cut + 1] : m_entries.size();
            barrier(api, buffer, stagesOf(before, i), stagesOf(i, behind), kReads | kWrites);
            ++cut;
        }
        const bool isDispatch = std::holds_alternative<Dispatch>(m_entries[i]);
        record(m_entries[i], buffer, isDispatch ? *set++ : VK_NULL_HANDLE);
    }
    commands->m_numBarriers = static_cast<uint32_t>(cuts.size());
    barrier(api, buffer, kWork, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    INGLE_TRY(m_device.check(api.EndCommandBuffer(buffer), "vkEndCommandBuffer"));
    commands->m_numDispatches = m_numDispatches;
    return commands;
}

}  // namespace ingle::backend::vulkan
