/// A plan on the device: recorded once for each number of rows, submitted again for each step.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/backend/step_limits.h"
#include "engine/backend/vulkan/program/decode_queue.h"
#include "engine/backend/vulkan/program/program_ranges.h"
#include "engine/backend/vulkan/program/schedule.h"
#include "engine/backend/vulkan/program/step_patience.h"

namespace ingle::backend::vulkan {

class VulkanProgram final : public Program {
  public:
    /// Uploads the weights and compiles every kernel. `memory` must outlive the program. Errors: Unsupported
    /// (an op or its size), OutOfMemory, Device.
    static Result<std::unique_ptr<VulkanProgram>> create(const Plan& plan, VulkanMemoryPool& memory,
                                                         std::shared_ptr<WeightStore> weights, Fusion fusion);
    /// What a program takes of the device's memory beside weights.
    static uint64_t bufferBytes(const Plan& plan, Fusion fusion, const DeviceContext& context);
    Status run(const Step& step) override;
    Result<std::span<const float>> readOutput(uint32_t index) override;
    Result<std::unique_ptr<DecodeQueue>> decodeAhead(const DecodeOrder& order) override;
    std::span<const float> hiddenRows() const override { return m_hiddenRows; }
    void observe(OpObserver* observer) override;

    /// Of a step of these sizes. Errors: as run().
    Result<uint32_t> numDispatches(const RowCounts& rows);
    /// Of weights that such a step reads, beside the rows of the tokens.
    Result<uint64_t> weightBytes(const RowCounts& rows);

  private:
    /// One way of running the ops, with the memory of their values.
    struct Layout {
        std::vector<ScheduledRun> runs;
        std::unique_ptr<Allocator> memory;
        std::vector<BufferRange> values;  ///< by ValueId
    };
    using RecordFunction = std::function<Status(Recorder&)>;

    VulkanProgram(const Plan& plan, VulkanMemoryPool& memory, std::shared_ptr<WeightStore> weights);
    Status allocate();
    Result<Layout> layOut(Fusion fusion) const;
    OpRecording opRecording(const ProgramBuffers& buffers, const RowCounts& rows, RowForms& forms,
                            DispatchTarget target);
    Status compileKernels();
    Result<std::vector<PipelineSpec>> kernelsOfAllRows();
    ProgramBuffers buffersOf(const Layout& layout) const;
    const BufferRange& logits() const { return m_fused.values[m_plan.output.value]; }
    StepBuffer hostStep() const { return StepBuffer::at(m_ranges.hostStep.host, m_capacity); }
    /// The values of Plan::hidden become the host's. Errors: as Recorder::copy().
    Status copyHidden(Recorder& recorder, uint32_t numRows, const BufferRange& to) const;
    /// Makes m_hiddenRows of them.
    void takeHidden(uint32_t numRows);
    /// Writes what the device is to know of the step. Errors: as Transfer::upload().
    Status write(const Step& step);
    uint64_t inputBytes(size_t rows) const;
    /// Step::inputRows, and zeros up to the rows of the recording.
    void writeInput(const Step& step);
    /// Makes it the device's.
    Status copyStep(Recorder& recorder) const;
    /// Recorded when they are not there yet, or not as they should be now.
    Result<const StepCommands*> commandsFor(const RowCounts& rows);
    Result<const DecodeTurns*> recordDecode(uint32_t numRows);
    /// A part of Plan::elsewhere.
    void compute(const LeftPart& part, const Step& step) const;
    /// Forgets what was recorded before memory moved.
    void forgetMoved();
    /// The ops between what the two functions add.
    Result<StepCommands> record(const RowCounts& rows, const RecordFunction& begin,
                                const RecordFunction& end);
    Status runRecorded(const RowCounts& rows, const Step& step);
    Status runObserved(const RowCounts& rows, const Step& step);
    /// To the observer, the op that a run of the plain layout is.
    Status show(const OpRun& run, double seconds, const Step& step);
    Result<std::vector<float>> rowsOf(const Operand& operand, const Step& step) const;

    Plan m_plan;
    StepLimits m_limits;
    VulkanMemoryPool& m_memory;
    std::shared_ptr<WeightStore> m_weights;
    StepCapacity m_capacity;

    Allocator m_deviceMemory;
    Allocator m_writeMemory;
    Allocator m_readMemory;
    ProgramRanges m_ranges;
    std::vector<float> m_hiddenRows;
    Layout m_fused;
    std::unique_ptr<Layout> m_plain;  // made when somebody observes

    SubmissionBudget m_budget;
    std::map<RowCounts, StepCommands> m_recorded;
    DecodeCommands m_decode;
    uint64_t m_recordedMoves = 0;  ///< VulkanMemoryPool::numMoves() of what is recorded
    uint32_t m_numLogitRows = 0;   // of the last step
    OpObserver* m_observer = nullptr;
    StepPatience m_patience;        // with steps of run()
    StepPatience m_decodePatience;  // with those of decode queues
};

}  // namespace ingle::backend::vulkan
