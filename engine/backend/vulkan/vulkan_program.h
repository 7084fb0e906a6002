/// A plan on the device: recorded once for each number of rows, submitted again for each step.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/vulkan/schedule.h"
#include "engine/backend/vulkan/step_buffer.h"

namespace ingle::backend::vulkan {

class VulkanProgram final : public Program {
  public:
    /// Uploads the weights and compiles every kernel. `memory` must outlive the program. Errors: Unsupported
    /// (an op or its size), OutOfMemory, Device.
    static Result<std::unique_ptr<VulkanProgram>> create(const Plan& plan, VulkanMemoryPool& memory,
                                                         std::shared_ptr<WeightStore> weights);
    Status run(const Step& step) override;
    Result<std::span<const float>> readLogits(uint32_t index) override;
    void observe(OpObserver* observer) override { m_observer = observer; }

    /// Of a step of these sizes. Errors: as run().
    Result<uint32_t> numDispatches(const RowCounts& rows);

  private:
    /// One way of running the ops, with the memory of their values.
    struct Layout {
        std::vector<ScheduledRun> runs;
        std::unique_ptr<Allocator> memory;
        std::vector<BufferRange> values;  ///< by ValueId
    };
    /// Submissions of a step, in order: each is short enough for the watchdog of a slow device.
    using Recording = std::vector<std::unique_ptr<Commands>>;

    VulkanProgram(const Plan& plan, VulkanMemoryPool& memory, std::shared_ptr<WeightStore> weights);
    Status allocate();
    Result<Layout> layOut(OpFusion fusion) const;
    Status check(const Step& step) const;
    OpRecording opRecording(const ProgramBuffers& buffers, const RowCounts& rows, DispatchTarget target);
    Status compileKernels();
    ProgramBuffers buffersOf(const Layout& layout) const;
    Result<const Recording*> recordingFor(const RowCounts& rows);
    Status record(const RowCounts& rows, Recording& recording);
    Status runRecorded(const RowCounts& rows);
    Status runObserved(const RowCounts& rows, const Step& step);
    Status showOutputs(const OpRun& run, double seconds, const Step& step);

    Plan m_plan;
    PlanValues m_values;
    VulkanMemoryPool& m_memory;
    std::shared_ptr<WeightStore> m_weights;
    StepCapacity m_capacity;
    uint32_t m_vocabSize = 0;

    Allocator m_deviceMemory;
    Allocator m_writeMemory;
    Allocator m_readMemory;
    BufferRange m_step, m_scratch, m_unused;
    BufferRange m_hostStep;
    BufferRange m_hostLogits;  // [logit rows, padded width]
    Layout m_fused;
    std::unique_ptr<Layout> m_plain;  // made when somebody observes

    std::map<RowCounts, Recording> m_recordings;
    uint64_t m_recordedVersion = 0;  // of the sequence memory
    uint32_t m_numLogitRows = 0;     // of the last step
    OpObserver* m_observer = nullptr;
};

}  // namespace ingle::backend::vulkan
