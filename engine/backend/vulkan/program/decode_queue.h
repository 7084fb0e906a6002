/// Decoding that does not wait for the host: recorded steps that make each other's input.
#pragma once

#include <array>

#include "engine/backend/backend.h"
#include "engine/backend/vulkan/program/step_commands.h"
#include "engine/backend/vulkan/program/step_patience.h"
#include "engine/backend/vulkan/program/token_sampler.h"

namespace ingle::backend::vulkan {

/// Steps on their way to the device: one runs, two wait behind it.
inline constexpr uint32_t kNumTurns = 3;

/// What a program records for its decode queues.
struct DecodeCommands {
    std::unique_ptr<TokenSampler> sampler;
    std::unique_ptr<Commands> begin;            ///< makes the host's step the device's
    std::array<StepCommands, kNumTurns> turns;  ///< a step of one row; they differ in what is of a turn
    std::array<BufferRange, kNumTurns> hidden;  ///< Plan::hidden of each turn's row; empty: there is none
};

/// Recurrent states go round in as many slots as there are turns: those after the last step that was told are
/// never overwritten. Keys and values of steps that are taken back are forgotten with the sequence's length.
class VulkanDecodeQueue final : public DecodeQueue {
  public:
    /// Makes room in the sequence for all steps. `patience`: with the steps of such queues. Errors:
    /// OutOfMemory, Device.
    static Result<std::unique_ptr<VulkanDecodeQueue>> create(const DecodeOrder& order,
                                                             VulkanMemoryPool& memory,
                                                             const DecodeCommands& commands,
                                                             StepPatience& patience);
    ~VulkanDecodeQueue() override;

    /// Where the states after step `step` (1: the first) are; 0: before the first.
    uint32_t slotAfter(uint32_t step) const { return m_slots[step % kNumTurns]; }
    /// The commands are recorded, and the host's step is written. Errors: Device, OutOfMemory.
    Status start();
    Result<TokenId> next() override;
    std::span<const float> hiddenRow() const override;
    void stopQueueing() override { m_mayQueue = false; }
    bool hasNext() const override {
        return m_told < m_submitted || (m_mayQueue && m_told < m_order.maxSteps);
    }

  private:
    VulkanDecodeQueue(const DecodeOrder& order, VulkanMemoryPool& memory, VulkanSequence& sequence,
                      const DecodeCommands& commands, StepPatience& patience);
    Status submitStep();

    const DecodeOrder m_order;
    VulkanMemoryPool& m_memory;
    VulkanSequence& m_sequence;
    const DecodeCommands& m_commands;
    StepPatience& m_patience;
    std::array<uint32_t, kNumTurns> m_slots{};    // all the same without states
    std::array<uint64_t, kNumTurns> m_pending{};  // submission of each turn's last step
    bool m_mayQueue = true;
    uint32_t m_submitted = 0;  // steps
    uint32_t m_told = 0;       // steps
};

}  // namespace ingle::backend::vulkan
