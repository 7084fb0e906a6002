/// A plan with its buffers on the CPU.
#pragma once

#include <memory>
#include <vector>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/cpu_op.h"
#include "engine/backend/step_limits.h"
#include "engine/base/buffer.h"

namespace ingle::backend::cpu {

/// Null when the CPU backend does not know the op.
const CpuOp* findCpuOp(OpCode code);

/// What a program of this plan takes of memory beside the weights.
uint64_t programBytes(const Plan& plan, uint32_t threads);

/// All buffers are allocated by create(); run() allocates nothing but cache pages.
class CpuProgram final : public Program {
  public:
    /// `memory` and `threads` must outlive the program. Errors: Unsupported (an op), OutOfMemory.
    static Result<std::unique_ptr<Program>> create(const Plan& plan, CpuMemoryPool& memory,
                                                   base::ThreadPool& threads, const CpuOptions& options);
    Status run(const Step& step) override;
    Result<std::span<const float>> readOutput(uint32_t index) override;
    std::span<const float> hiddenRows() const override;
    void observe(OpObserver* observer) override;

  private:
    CpuProgram(const Plan& plan, CpuMemoryPool& memory, base::ThreadPool& threads, const CpuOptions& options)
        : m_plan(plan),
          m_limits(plan),
          m_memory(memory),
          m_threads(threads),
          m_options(options),
          m_ropeTables(plan) {}
    Status allocate();
    Status prepareOps();
    Status expandVectors();
    struct OpRange {
        size_t begin, end;
    };
    OpRange opsOf(uint32_t part) const;
    void runObserved(const StepContext& context);

    Plan m_plan;
    StepLimits m_limits;
    CpuMemoryPool& m_memory;
    base::ThreadPool& m_threads;
    CpuOptions m_options;

    RopeTables m_ropeTables;
    std::vector<std::unique_ptr<PreparedOp>> m_ops;  ///< one per record of the plan
    std::vector<base::Buffer> m_valueBuffers;
    std::vector<float*> m_values;  ///< by ValueId
    std::vector<base::Buffer> m_vectorBuffers;
    std::vector<std::span<const float>> m_vectors;
    base::Buffer m_sharedScratch;
    base::Buffer m_threadScratch;
    size_t m_threadScratchBytes = 0;
    std::vector<RunRows> m_runs;
    uint32_t m_numRows = 0;
    uint32_t m_numLogitRows = 0;
    uint32_t m_part = 0;  ///< of the last step
    OpObserver* m_observer = nullptr;
};

}  // namespace ingle::backend::cpu
