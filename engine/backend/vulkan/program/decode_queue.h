/// Decoding that does not wait for the host: recorded steps that make each other's input.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/vulkan/program/step_commands.h"
#include "engine/backend/vulkan/program/step_patience.h"
#include "engine/backend/vulkan/program/token_sampler.h"

namespace ingle::backend::vulkan {

/// Steps on their way to the device: one runs, two wait behind it.
inline constexpr uint32_t kNumTurns = 3;

/// A step; they differ in what is of a turn.
using DecodeTurns = std::array<StepCommands, kNumTurns>;

/// What a program records for its decode queues.
struct DecodeCommands {
    std::unique_ptr<TokenSampler> sampler;
    std::unique_ptr<Commands> begin;            ///< makes the host's step the device's
    std::map<uint32_t, DecodeTurns> turns;      ///< by the rows that they were recorded for
    uint32_t hiddenWidth = 0;                   ///< of Plan::hidden; 0: there is none
    std::array<BufferRange, kNumTurns> hidden;  ///< of each turn's rows
};

/// Recurrent states go round in as many slots as there are turns: those after the last step that was told are
/// never overwritten. Where several sequences find no slots for that, each step is waited for, and the states
/// stay where they are. Keys and values of steps that are taken back are forgotten with the sequence's
/// length.
class VulkanDecodeQueue final : public DecodeQueue {
  public:
    /// Makes room in the sequences for all steps. `patience`: with the steps of such queues. Errors:
    /// OutOfMemory, Device.
    static Result<std::unique_ptr<VulkanDecodeQueue>> create(const DecodeOrder& order,
                                                             VulkanMemoryPool& memory,
                                                             const DecodeCommands& commands,
                                                             StepPatience& patience);
    ~VulkanDecodeQueue() override;

    /// Where the states of a row's sequence after step `step` (1: the first) are; 0: before the first.
    uint32_t slotAfter(uint32_t row, uint32_t step) const { return m_rows[row].slots[step % m_numTurns]; }
    /// `turns` are recorded for so many rows, or some more, and the host's step is written. Errors: Device,
    /// OutOfMemory.
    Status start(const DecodeTurns& turns);
    Result<std::span<const TokenId>> next() override;
    std::span<const float> hiddenRow(uint32_t row) const override;
    void stopQueueing() override { m_mayQueue = false; }
    bool hasNext() const override {
        return m_told < m_submitted || (m_mayQueue && m_told < m_order.maxSteps);
    }

  private:
    struct Row {
        VulkanSequence* sequence;
        std::array<uint32_t, kNumTurns> slots;  // all the same without states
    };

    VulkanDecodeQueue(const DecodeOrder& order, VulkanMemoryPool& memory, const DecodeCommands& commands,
                      StepPatience& patience)
        : m_order(order), m_memory(memory), m_commands(commands), m_patience(patience) {}
    uint32_t numRows() const { return static_cast<uint32_t>(m_rows.size()); }
    Status takeTwins();
    /// All slots but those that the sequences have now.
    void giveTwins();
    Status submitStep();

    const DecodeOrder m_order;
    VulkanMemoryPool& m_memory;
    const DecodeCommands& m_commands;
    StepPatience& m_patience;
    const DecodeTurns* m_turns = nullptr;  // from start() on
    std::vector<Row> m_rows;
    std::vector<TokenId> m_chosen;                // of each row
    uint32_t m_numTurns = kNumTurns;              // that are on their way at most
    std::array<uint64_t, kNumTurns> m_pending{};  // submission of each turn's last step
    bool m_mayQueue = true;
    uint32_t m_submitted = 0;  // steps
    uint32_t m_told = 0;       // steps
};

}  // namespace ingle::backend::vulkan
