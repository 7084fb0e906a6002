#include <algorithm>

#include "engine/backend/cpu/matmul_input.h"

namespace ingle::backend::cpu::head_linear_op {
namespace {

using kernels::ActivationForm;

/// Outputs a thread takes at a time, as in linear.cpp.
constexpr size_t kGrain = 32;

class HeadLinear final : public PreparedOp {
  public:
    HeadLinear(const Op& op, const Preparation& preparation)
        : m_op(op),
          m_params(std::get<HeadLinearParams>(op.params)),
          m_matrices(preparation.matrix(op, 0)),
          m_kernel(kernels::selectMatmul(*m_matrices.format, m_params.numRows, preparation.isa,
                                         preparation.activations)),
          m_input(m_kernel.activation, preparation.isa) {}

    void run(const StepContext& context) override {
        if (context.numRows(m_op.inputs[0]) == 0) return;
        if (m_params.turned)
            multiplyTurned(context);
        else
            multiply(context);
    }

  private:
    /// Row `row` of a head's matrix, among all of W.
    size_t rowOfHead(size_t head, size_t row) const {
        return head * (m_matrices.shape.numRows() / m_params.numHeads) + m_params.firstRow + row;
    }

    void multiply(const StepContext& context) const {
        const Operand x = m_op.inputs[0];
        const Operand y = m_op.outputs[0];
        const size_t in = m_matrices.shape.rowElems();
        const size_t numRows = context.numRows(x);
        const size_t rowBytes = matmulInputBytes(m_kernel.activation, x.width);
        // Heads are whole blocks where there are blocks, as rows of weights are.
        const size_t headBytes = matmulInputBytes(m_kernel.activation, in);
        const std::byte* rows = reinterpret_cast<const std::byte*>(context.rows(x));
        if (m_kernel.activation == ActivationForm::Blocks) {
            rows = context.sharedScratch;
            context.threads.parallelFor(numRows, 1, [&](size_t begin, size_t end, uint32_t) {
                for (size_t row = begin; row < end; ++row)
                    m_input.write({context.rows(x) + row * x.width, x.width},
                                  context.sharedScratch + row * rowBytes);
            });
        }
        const size_t out = m_params.numRows;
        context.threads.parallelFor(y.width, kGrain, [&](size_t begin, size_t end, uint32_t) {
            for (size_t head = begin / out; head * out < end; ++head) {
                const size_t first = head * out;
                m_kernel.fn({
                    .format = m_matrices.format,
                    .weights = m_matrices.row(rowOfHead(head, 0)),
                    .weightRowBytes = m_matrices.rowStep(),
                    .numOut = m_params.numRows,
                    .x = rows + head * headBytes,
                    .xRowBytes = rowBytes,
                    .y = context.rows(y) + first,
                    .yStride = y.width,
                    .numRows = static_cast<uint32_t>(numRows),
                    .k = static_cast<uint32_t>(in),
                    .outBegin = static_cast<uint32_t>(std::max(begin, first) - first),
                    .outEnd = static_cast<uint32_t>(std::min(end, first + out) - first),
                });
            }
        });
    }

    /// y_h = sum over rows n of x_h[n] M_h[n], in order of n.
    void multiplyTurned(const StepContext& context) const {
        const Operand x = m_op.inputs[0];
        const Operand y = m_op.outputs[0];
        const size_t out = m_matrices.shape.rowElems();
        const size_t numRows = context.numRows(x);
        context.threads.parallelFor(m_params.numHeads, 1, [&](size_t begin, size_t end, uint32_t thread) {
            const std::span<float> weights(context.threadFloats(thread), out);
            for (size_t head = begin; head < end; ++head) {
                float* sums = context.rows(y) + head * out;
                for (size_t row = 0; row < numRows; ++row) std::fill_n(sums + row * y.width, out, 0.0F);
                for (size_t n = 0; n < m_params.numRows; ++n) {
                    m_matrices.decodeRow(rowOfHead(head, n), weights);
                    for (size_t row = 0; row < numRows; ++row) {
                        const float factor = context.rows(x)[row * x.width + head * m_params.numRows + n];
                        float* sum = sums + row * y.width;
                        for (size_t i = 0; i < out; ++i) sum[i] += factor * weights[i];
                    }
                }
            }
        });
    }

    const Op& m_op;
    const HeadLinearParams& m_params;
    const tensor::Tensor& m_matrices;
    kernels::MatmulKernel m_kernel;
    MatmulInput m_input;
};

Scratch scratch(const Op& op, const Plan& plan) {
    if (std::get<HeadLinearParams>(op.params).turned) {
        const tensor::Shape& shape = plan.weights[op.weights[0]].tensor->shape;
        return {.sharedBytes = 0, .threadBytes = shape.rowElems() * sizeof(float)};
    }
    return {.sharedBytes = plan.maxTokens * matmulInputBytes(ActivationForm::Blocks, op.inputs[0].width),
            .threadBytes = 0};
}

}  // namespace

extern const CpuOp op{OpCode::HeadLinear, prepared<HeadLinear>, scratch};

}  // namespace ingle::backend::cpu::head_linear_op
