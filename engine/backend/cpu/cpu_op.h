/// How the CPU walks one op. One file per op: engine/backend/cpu/ops/<name>.cpp defines `extern const CpuOp
/// <name>_op`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/cpu/cpu_memory.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/select.h"

namespace ingle::backend::cpu {

/// Working memory an op needs during a step.
struct Scratch {
    size_t sharedBytes = 0;
    size_t threadBytes = 0;  ///< for each thread
};

/// Some of a step's rows, all of one sequence.
struct RunRows {
    CpuSequence* sequence = nullptr;
    uint32_t firstRow = 0;
    uint32_t numRows = 0;
    uint32_t firstPosition = 0;  ///< position of firstRow in the sequence
};

/// Everything an op sees while it runs. Pointers stay valid during the call.
struct StepContext {
    const Plan& plan;
    const CpuMemoryPool& memory;
    base::ThreadPool& threads;
    base::Isa isa;
    ActivationType activations;
    std::span<float* const> values;                   ///< rows back to back, by ValueId
    std::span<const std::span<const float>> vectors;  ///< f32 copies of WeightUse::Vector weights
    std::span<const RunRows> runs;
    std::span<const TokenId> tokens;
    std::span<const uint32_t> logitRows;
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

/// Values an elementwise op hands to a thread at a time: a few microseconds of work.
inline constexpr size_t kElementGrain = 8192;

struct CpuOp {
    OpCode code;
    void (*run)(const Op& op, const StepContext& context);
    /// Null: none.
    Scratch (*scratch)(const Op& op, const Plan& plan);
};

std::span<const CpuOp* const> allCpuOps();

}  // namespace ingle::backend::cpu
