#include "engine/backend/vulkan/program/decode_queue.h"

#include <algorithm>

#include "engine/backend/vulkan/recording/op_recording.h"

namespace ingle::backend::vulkan {

Result<std::unique_ptr<VulkanDecodeQueue>> VulkanDecodeQueue::create(const DecodeOrder& order,
                                                                     VulkanMemoryPool& memory,
                                                                     const DecodeCommands& commands,
                                                                     StepPatience& patience) {
    std::unique_ptr<VulkanDecodeQueue> queue(new VulkanDecodeQueue(order, memory, commands, patience));
    for (const DecodeRow& row : order.rows) {
        INGLE_TRY_ASSIGN(VulkanSequence * sequence, ownSequence<VulkanSequence>(row.sequence, memory));
        Row& added = queue->m_rows.emplace_back(Row{sequence, {}});
        added.slots.fill(sequence->slot());
        sequence->forgetKeptStates();
        INGLE_TRY(sequence->reserve(sequence->length() + order.maxSteps));
    }
    if (memory.spec().states.empty()) return queue;
    const Status taken = queue->takeTwins();
    if (taken) return queue;
    // Of one answer: whoever asked makes room. That of many would be at the cost of all idle conversations.
    if (queue->numRows() == 1 || taken.error().code != ErrorCode::OutOfMemory)
        return tl::unexpected(taken.error());
    queue->giveTwins();
    queue->m_numTurns = 1;
    return queue;
}

VulkanDecodeQueue::~VulkanDecodeQueue() {
    // Steps that nobody wants any more end within moments; those of a lost device at once.
    (void)m_memory.context().device.wait(*std::ranges::max_element(m_pending),
                                         kNumTurns * m_patience.limit(numRows()));
    for (uint32_t row = 0; row < numRows(); ++row) m_rows[row].sequence->moveToTwin(slotAfter(row, m_told));
    giveTwins();
}

Status VulkanDecodeQueue::takeTwins() {
    for (Row& row : m_rows) {
        INGLE_TRY_ASSIGN(const auto twins, row.sequence->takeTwinSlots(kNumTurns - 1));
        std::ranges::copy(twins, row.slots.begin() + 1);
    }
    return {};
}

void VulkanDecodeQueue::giveTwins() {
    for (Row& row : m_rows) {
        for (const uint32_t slot : row.slots)
            if (slot != row.sequence->slot()) m_memory.giveSlot(slot);
        row.slots.fill(row.sequence->slot());
    }
}

Status VulkanDecodeQueue::start(const DecodeTurns& turns) {
    m_turns = &turns;
    INGLE_TRY_ASSIGN(m_pending[0], m_commands.begin->submit());
    return {};
}

Status VulkanDecodeQueue::submitStep() {
    const uint32_t turn = m_submitted % m_numTurns;
    for (uint32_t row = 0; row < numRows(); ++row) {
        const DecodeRow& wanted = m_order.rows[row];
        m_commands.sampler->setParams({turn, row}, wanted.sampler, wanted.position + m_submitted,
                                      wanted.numIds);
    }
    INGLE_TRY_ASSIGN(m_pending[turn], (*m_turns)[turn].submit());
    ++m_submitted;
    return {};
}

Result<std::span<const TokenId>> VulkanDecodeQueue::next() {
    if (!hasNext())
        return fail(ErrorCode::InvalidArgument, "a decode queue has ended after {} steps", m_told);
    while (m_mayQueue && m_submitted < std::min(m_told + m_numTurns, m_order.maxSteps))
        INGLE_TRY(submitStep());
    const uint32_t turn = m_told % m_numTurns;
    Device& device = m_memory.context().device;
    const auto begin = device.api().now();
    INGLE_TRY(device.wait(m_pending[turn], m_patience.limit(numRows())));
    m_patience.took(numRows(), device.api().now() - begin);
    ++m_told;
    m_chosen.clear();
    for (uint32_t row = 0; row < numRows(); ++row) {
        m_rows[row].sequence->advance(1);
        INGLE_TRY_ASSIGN(const TokenId id, m_commands.sampler->chosen({turn, row}, m_order.rows[row].numIds));
        m_chosen.push_back(id);
    }
    return m_chosen;
}

std::span<const float> VulkanDecodeQueue::hiddenRow(uint32_t row) const {
    const BufferRange& rows = m_commands.hidden[(m_told + m_numTurns - 1) % m_numTurns];
    const uint32_t width = m_commands.hiddenWidth;
    return {reinterpret_cast<const float*>(rows.host) + size_t{row} * paddedWidth(width), width};
}

}  // namespace ingle::backend::vulkan
