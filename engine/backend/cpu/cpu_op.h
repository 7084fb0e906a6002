/// How the CPU walks one op. One file per op: engine/backend/cpu/ops/<name>.cpp defines `extern const CpuOp
/// op` in the namespace `<name>_op`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/cpu/cpu_memory.h"
#include "engine/backend/cpu/rope_tables.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/select.h"

namespace ingle::backend::cpu {

/// Working memory an op needs during a step.
struct Scratch {
    size_t sharedBytes = 0;
    size_t threadBytes = 0;  ///< for each thread
};

/// Everything an op sees while it runs. Pointers stay valid during the call.
struct StepContext {
    const Plan& plan;
    const CpuMemoryPool& memory;
    base::ThreadPool& threads;
    std::span<float* const> values;                   ///< rows back to back, by ValueId
    std::span<const std::span<const float>> vectors;  ///< f32 copies of WeightUse::Vector weights
    std::span<const RunRows> runs;
    const RopeTables& ropeTables;  ///< filled for the step's rows
    std::span<const TokenId> tokens;
    std::span<const uint32_t> logitRows;
    std::span<const float> inputRows;
    std::byte* sharedScratch;
    std::byte* threadScratch;
    size_t threadScratchBytes;

    float* rows(Operand operand) const { return values[operand.value]; }
    size_t numRows(Operand operand) const {
        return plan.values[operand.value].rows == RowKind::Token ? tokens.size() : logitRows.size();
    }
    const tensor::Tensor& matrix(const Op& op, uint32_t index) const {
        return *plan.weights[op.weights[index]].tensor;
    }
    const float* vector(const Op& op, uint32_t index) const { return vectors[op.weights[index]].data(); }
    float* threadFloats(uint32_t thread) const {
        return reinterpret_cast<float*>(threadScratch + thread * threadScratchBytes);
    }
};

/// What is known when a program is made.
struct Preparation {
    const Plan& plan;
    const CpuMemoryPool& memory;
    const RopeTables& ropeTables;
    const base::ThreadPool& threads;
    base::Isa isa;
    ActivationType activations;

    const tensor::Tensor& matrix(const Op& op, uint32_t index) const {
        return *plan.weights[op.weights[index]].tensor;
    }
};

/// An op of a program: whatever does not change from step to step has been decided. What it owns (a weight in
/// another order, say) lives as long as the program.
class PreparedOp {
  public:
    virtual ~PreparedOp() = default;
    virtual void run(const StepContext& context) = 0;
};

/// Values an elementwise op hands to a thread at a time: a few microseconds of work.
inline constexpr size_t kElementGrain = 8192;

/// What an op does with the side data of its matrices (tensor::Tensor::side).
enum class SideData : uint8_t { Refused, Read };

struct CpuOp {
    OpCode code;
    /// Once per program: chooses kernels, finds tables. `op` outlives what is made. Errors: OutOfMemory.
    Result<std::unique_ptr<PreparedOp>> (*prepare)(const Op& op, const Preparation& preparation);
    /// Null: none.
    Scratch (*scratch)(const Op& op, const Plan& plan) = nullptr;
    SideData sideData = SideData::Refused;
};

/// CpuOp::prepare of an op that has nothing to decide.
template <void (*runOp)(const Op& op, const StepContext& context)>
Result<std::unique_ptr<PreparedOp>> unprepared(const Op& op, const Preparation&) {
    class Unprepared final : public PreparedOp {
      public:
        explicit Unprepared(const Op& op) : m_op(op) {}
        void run(const StepContext& context) override { runOp(m_op, context); }

      private:
        const Op& m_op;
    };
    return std::make_unique<Unprepared>(op);
}

/// CpuOp::prepare of an op that is one kernel and its walk; `kernelOf` says which from the op.
template <kernels::KernelOp (*kernelOf)(const Op& op),
          void (*runOp)(const Op& op, const kernels::KernelFn& kernel, const StepContext& context)>
Result<std::unique_ptr<PreparedOp>> withKernel(const Op& op, const Preparation& preparation) {
    class WithKernel final : public PreparedOp {
      public:
        WithKernel(const Op& op, base::Isa isa)
            : m_op(op), m_kernel(kernels::selectKernel(kernelOf(op), isa)) {}
        void run(const StepContext& context) override { runOp(m_op, m_kernel, context); }

      private:
        const Op& m_op;
        kernels::KernelFn m_kernel;
    };
    return std::make_unique<WithKernel>(op, preparation.isa);
}

/// The same for ops that always use one kernel.
template <kernels::KernelOp code>
kernels::KernelOp always(const Op&) {
    return code;
}

/// CpuOp::prepare of an op that is a class of its own.
template <typename T>
Result<std::unique_ptr<PreparedOp>> prepared(const Op& op, const Preparation& preparation) {
    return std::make_unique<T>(op, preparation);
}

std::span<const CpuOp* const> allCpuOps();

}  // namespace ingle::backend::cpu
