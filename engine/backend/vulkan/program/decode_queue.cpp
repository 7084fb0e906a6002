#include "engine/backend/vulkan/program/decode_queue.h"

#include <algorithm>

namespace ingle::backend::vulkan {
VulkanDecodeQueue::VulkanDecodeQueue(const DecodeOrder& order, VulkanMemoryPool& memory,
                                     VulkanSequence& sequence, const DecodeCommands& commands,
                                     StepPatience& patience)
    : m_order(order), m_memory(memory), m_sequence(sequence), m_commands(commands), m_patience(patience) {
    m_slots.fill(m_sequence.slot());
}

Result<std::unique_ptr<VulkanDecodeQueue>> VulkanDecodeQueue::create(const DecodeOrder& order,
                                                                     VulkanMemoryPool& memory,
                                                                     const DecodeCommands& commands,
                                                                     StepPatience& patience) {
    INGLE_TRY_ASSIGN(VulkanSequence * sequence, ownSequence<VulkanSequence>(order.sequence, memory));
    std::unique_ptr<VulkanDecodeQueue> queue(
        new VulkanDecodeQueue(order, memory, *sequence, commands, patience));
    queue->m_sequence.forgetKeptStates();
    INGLE_TRY(queue->m_sequence.reserve(queue->m_sequence.length() + order.maxSteps));
    if (!memory.spec().states.empty()) {
        INGLE_TRY_ASSIGN(const auto twins, queue->m_sequence.takeTwinSlots(kNumTurns - 1));
        std::ranges::copy(twins, queue->m_slots.begin() + 1);
    }
    return queue;
}

VulkanDecodeQueue::~VulkanDecodeQueue() {
    // Steps that nobody wants any more end within moments; those of a lost device at once.
    (void)m_memory.context().device.wait(*std::ranges::max_element(m_pending),
                                         kNumTurns * m_patience.limit(1));
    const uint32_t slot = slotAfter(m_told);
    m_sequence.moveToTwin(slot);
    for (const uint32_t twin : m_slots) {
        if (twin != slot) m_memory.giveSlot(twin);
    }
}

Status VulkanDecodeQueue::start() {
    INGLE_TRY_ASSIGN(m_pending[0], m_commands.begin->submit());
    return {};
}

Status VulkanDecodeQueue::submitStep() {
    const uint32_t turn = m_submitted % kNumTurns;
    m_commands.sampler->setParams(turn, m_order.sampler, m_order.position + m_submitted, m_order.numIds);
    INGLE_TRY_ASSIGN(m_pending[turn], m_commands.turns[turn].submit());
    ++m_submitted;
    return {};
}

Result<TokenId> VulkanDecodeQueue::next() {
    if (!hasNext())
        return fail(ErrorCode::InvalidArgument, "a decode queue has ended after {} steps", m_told);
    while (m_mayQueue && m_submitted < std::min(m_told + kNumTurns, m_order.maxSteps))
        INGLE_TRY(submitStep());
    const uint32_t turn = m_told % kNumTurns;
    Device& device = m_memory.context().device;
    const auto begin = device.api().now();
    INGLE_TRY(device.wait(m_pending[turn], m_patience.limit(1)));
    m_patience.took(1, device.api().now() - begin);
    ++m_told;
    m_sequence.advance(1);
    return m_commands.sampler->chosen(turn, m_order.numIds);
}

std::span<const float> VulkanDecodeQueue::hiddenRow() const {
    const BufferRange& row = m_commands.hidden[(m_told + kNumTurns - 1) % kNumTurns];
    return {reinterpret_cast<const float*>(row.host), row.bytes / sizeof(float)};
}

}  // namespace ingle::backend::vulkan
