#include "engine/kernels/ref/gated_delta.h"

#include "engine/backend/cpu/chunk_walk.h"
#include "engine/kernels/ref/mamba_scan.h"

namespace ingle::backend::cpu::gated_delta_op {
namespace {

class GatedDelta final : public PreparedOp {
  public:
    GatedDelta(const Op& op, const Preparation& preparation)
        : m_op(op),
          m_params(std::get<GatedDeltaParams>(op.params)),
          m_layout(layoutOf(m_params)),
          m_compute(kernels::selectKernel(kernels::KernelOp::GatedDelta, preparation.isa).gatedDelta),
          m_fold(kernels::selectKernel(kernels::KernelOp::FoldChunk, preparation.isa).foldChunk) {}

    void run(const StepContext& context) override {
        const size_t heads = m_params.numValueHeads;
        context.threads.parallelFor(
            context.runs.size() * heads, 1, [&](size_t begin, size_t end, uint32_t thread) {
                for (size_t item = begin; item < end; ++item)
                    runHead(context, context.runs[item / heads], item % heads, context.threadFloats(thread));
            });
        keepKeys(context, m_layout, m_params.state, context.rows(m_op.inputs[1]));
    }

  private:
    void runHead(const StepContext& context, const RunRows& rows, size_t head, float* memory) const {
        const size_t heads = m_params.numValueHeads;
        const size_t keyDim = m_params.keyDim;
        const size_t valueDim = m_params.valueDim;
        const size_t keyHead = m_params.pairing == HeadPairing::Tiled ? head % m_params.numKeyHeads
                                                                      : head / (heads / m_params.numKeyHeads);
        const HeadRun run(rows, m_layout, m_params.state, head, keyHead, context.rows(m_op.inputs[1]));
        const size_t keyStride = m_layout.keyElems();
        const float* q = context.rows(m_op.inputs[0]) + rows.firstRow * keyStride + keyHead * keyDim;
        const size_t width = heads * valueDim;
        const size_t valueAt = rows.firstRow * width + head * valueDim;
        const float* v = context.rows(m_op.inputs[2]) + valueAt;
        float* y = context.rows(m_op.outputs[0]) + valueAt;
        const size_t headAt = rows.firstRow * heads + head;
        const float* steps = context.rows(m_op.inputs[3]) + headAt;
        const float* rates = context.rows(m_op.inputs[4]) + headAt;
        const float rate = context.vector(m_op, 0)[head];
        const float bias = context.vector(m_op, 1)[head];
        const kernels::ChunkScratch scratch(memory, keyDim);
        run.forChunks(
            scratch, [&](size_t row) { return kernels::discretise(steps[row * heads], bias, rate).decay; },
            [&](const float* const* keys, const kernels::ChunkHead& chunkHead) {
                m_fold(keys, chunkHead, scratch, keyDim, valueDim);
            },
            [&](const kernels::ChunkRows& chunk, size_t row, const kernels::ChunkHead& chunkHead) {
                m_compute({.chunk = chunk,
                           .q = q + row * keyStride,
                           .keyStride = keyStride,
                           .v = v + row * width,
                           .y = y + row * width,
                           .valueStride = width,
                           .rates = rates + row * heads,
                           .rateStride = heads},
                          chunkHead, scratch, keyDim, valueDim);
            });
    }

    const Op& m_op;
    const GatedDeltaParams& m_params;
    const ChunkLayout m_layout;
    const kernels::GatedDeltaFn m_compute;
    const kernels::FoldChunkFn m_fold;
};

Scratch scratch(const Op& op, const Plan&) {
    const ChunkLayout layout = layoutOf(std::get<GatedDeltaParams>(op.params));
    return {.sharedBytes = 0,
            .threadBytes = kernels::ChunkScratch::floats(layout.keyDim, layout.valueDim) * sizeof(float)};
}

}  // namespace

extern const CpuOp op{OpCode::GatedDelta, prepared<GatedDelta>, scratch};

}  // namespace ingle::backend::cpu::gated_delta_op
