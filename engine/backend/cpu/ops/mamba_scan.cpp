#include "engine/kernels/ref/mamba_scan.h"

#include "engine/backend/cpu/chunk_walk.h"

namespace ingle::backend::cpu::mamba_scan_op {
namespace {

class MambaScan final : public PreparedOp {
  public:
    MambaScan(const Op& op, const Preparation& preparation)
        : m_op(op),
          m_params(std::get<MambaScanParams>(op.params)),
          m_layout(layoutOf(m_params)),
          m_compute(kernels::selectKernel(kernels::KernelOp::MambaScan, preparation.isa).mambaScan),
          m_fold(kernels::selectKernel(kernels::KernelOp::FoldChunk, preparation.isa).foldChunk) {}

    void run(const StepContext& context) override {
        const size_t heads = m_params.numHeads;
        context.threads.parallelFor(
            context.runs.size() * heads, 1, [&](size_t begin, size_t end, uint32_t thread) {
                for (size_t item = begin; item < end; ++item)
                    runHead(context, context.runs[item / heads], item % heads, context.threadFloats(thread));
            });
        keepKeys(context, m_layout, m_params.state, context.rows(m_op.inputs[1]));
    }

  private:
    void runHead(const StepContext& context, const RunRows& rows, size_t head, float* memory) const {
        const size_t heads = m_params.numHeads;
        const size_t stateSize = m_params.stateSize;
        const size_t headSize = m_params.headSize;
        const size_t group = head / (heads / m_params.groups);
        const HeadRun run(rows, m_layout, m_params.state, head, group, context.rows(m_op.inputs[1]));
        const size_t keyStride = m_layout.keyElems();
        const float* c = context.rows(m_op.inputs[2]) + rows.firstRow * keyStride + group * stateSize;
        const size_t width = heads * headSize;
        const size_t valueAt = rows.firstRow * width + head * headSize;
        const float* x = context.rows(m_op.inputs[0]) + valueAt;
        float* y = context.rows(m_op.outputs[0]) + valueAt;
        const float* raw = context.rows(m_op.inputs[3]) + rows.firstRow * heads + head;
        const float rate = context.vector(m_op, 0)[head];
        const float skip = context.vector(m_op, 1)[head];
        const float bias = context.vector(m_op, 2)[head];
        float steps[kChunkTokens];
        const kernels::ChunkScratch scratch(memory, stateSize);
        run.forChunks(
            scratch,
            [&](size_t row) {
                const auto [step, decay] = kernels::discretise(raw[row * heads], bias, rate);
                steps[(rows.firstPosition + row) % kChunkTokens] = step;
                return decay;
            },
            [&](const float* const* keys, const kernels::ChunkHead& chunkHead) {
                m_fold(keys, chunkHead, scratch, stateSize, headSize);
            },
            [&](const kernels::ChunkRows& chunk, size_t row, const kernels::ChunkHead& chunkHead) {
                m_compute({.chunk = chunk,
                           .c = c + row * keyStride,
                           .keyStride = keyStride,
                           .x = x + row * width,
                           .y = y + row * width,
                           .valueStride = width,
                           .steps = steps + chunk.begin,
                           .skip = skip},
                          chunkHead, scratch, stateSize, headSize);
            });
    }

    const Op& m_op;
    const MambaScanParams& m_params;
    const ChunkLayout m_layout;
    const kernels::MambaScanFn m_compute;
    const kernels::FoldChunkFn m_fold;
};

Scratch scratch(const Op& op, const Plan&) {
    const ChunkLayout layout = layoutOf(std::get<MambaScanParams>(op.params));
    return {.sharedBytes = 0,
            .threadBytes = kernels::ChunkScratch::floats(layout.keyDim, layout.valueDim) * sizeof(float)};
}

}  // namespace

extern const CpuOp op{OpCode::MambaScan, prepared<MambaScan>, scratch};

}  // namespace ingle::backend::cpu::mamba_scan_op
