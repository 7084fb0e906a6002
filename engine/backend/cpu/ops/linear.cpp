#include <algorithm>

#include "engine/backend/cpu/expanded_matmul.h"
#include "engine/backend/cpu/matmul_input.h"

namespace ingle::backend::cpu::linear_op {
namespace {

using kernels::ActivationForm;

/// Outputs per piece are a multiple of this: whole vectors, and whole pairs of them, on every instruction
/// set.
constexpr size_t kAlign = 32;
/// Pieces per thread: long runs of consecutive weights are read fastest, several pieces keep threads even.
constexpr size_t kPiecesPerThread = 4;

class Linear final : public PreparedOp {
  public:
    Linear(const Op& op, const Preparation& preparation) : m_op(op) {
        const auto& parts = std::get<LinearParams>(op.params).parts;
        size_t total = 0;
        for (size_t i = 0; i < parts.size(); ++i) {
            const tensor::Tensor& matrix = preparation.matrix(op, parts[i].matrix);
            const uint32_t width = op.outputs[i].width;
            const kernels::MatmulKernel kernel = matmulFor(matrix, width, preparation);
            m_parts.push_back({.matrix = &matrix,
                               .kernel = kernel,
                               .input = addInput(kernel.activation, inputOrder(matrix, 0), preparation),
                               .bias = parts[i].bias,
                               .first = total});
            total += width;
        }
        const size_t pieces = preparation.threads.numThreads() * kPiecesPerThread;
        m_total = total;
        m_grain = std::max((total / pieces + kAlign - 1) / kAlign * kAlign, kAlign);
    }

    void run(const StepContext& context) override {
        if (context.numRows(m_op.inputs[0]) == 0) return;
        for (const Input& input : m_inputs) write(input, context);
        context.threads.parallelFor(m_total, m_grain, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t i = 0; i < m_parts.size(); ++i) {
                const Part& part = m_parts[i];
                const size_t from = std::max(begin, part.first);
                const size_t to = std::min(end, part.first + m_op.outputs[i].width);
                if (from < to)
                    multiply(part, m_op.outputs[i], context, from - part.first, to - part.first,
                             context.threadFloats(thread));
            }
        });
    }

  private:
    /// The activations as some of the parts want them, in shared scratch memory; once for all of those.
    struct Input {
        ActivationForm form;
        std::span<const uint32_t> order;
        MatmulInput input;
        size_t offset;  ///< in the scratch memory, bytes for each row of the step
    };
    struct Part {
        const tensor::Tensor* matrix;
        kernels::MatmulKernel kernel;
        std::optional<size_t> input;   ///< none: the activations as they are
        std::optional<uint32_t> bias;  ///< index into the op's weights
        size_t first;                  ///< of its outputs in the row of all outputs
    };

    std::optional<size_t> addInput(ActivationForm form, std::span<const uint32_t> order,
                                   const Preparation& preparation) {
        if (form == ActivationForm::Floats && order.empty()) return std::nullopt;
        for (size_t i = 0; i < m_inputs.size(); ++i)
            if (m_inputs[i].form == form && std::ranges::equal(m_inputs[i].order, order)) return i;
        size_t offset = 0;
        for (const Input& input : m_inputs) offset += matmulInputBytes(input.form, m_op.inputs[0].width);
        m_inputs.push_back({form, order, {form, preparation.isa}, offset});
        return m_inputs.size() - 1;
    }

    std::byte* rowsOf(const Input& input, const StepContext& context) const {
        return context.sharedScratch + context.numRows(m_op.inputs[0]) * input.offset;
    }

    void write(const Input& input, const StepContext& context) const {
        const Operand x = m_op.inputs[0];
        const size_t rowBytes = matmulInputBytes(input.form, x.width);
        context.threads.parallelFor(context.numRows(x), 1, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t row = begin; row < end; ++row) {
                const float* values = context.rows(x) + row * x.width;
                if (!input.order.empty()) {
                    putInOrder({values, x.width}, input.order, context.threadFloats(thread));
                    values = context.threadFloats(thread);
                }
                input.input.write({values, x.width}, rowsOf(input, context) + row * rowBytes);
            }
        });
    }

    /// Computes outputs [begin, end) of one part.
    void multiply(const Part& part, Operand y, const StepContext& context, size_t begin, size_t end,
                  float* scratch) const {
        const Operand x = m_op.inputs[0];
        const kernels::MatmulArgs args{
            .numOut = y.width,
            .x = part.input ? rowsOf(m_inputs[*part.input], context)
                            : reinterpret_cast<const std::byte*>(context.rows(x)),
            .xRowBytes = matmulInputBytes(part.kernel.activation, x.width),
            .y = context.rows(y),
            .yStride = y.width,
            .numRows = static_cast<uint32_t>(context.numRows(x)),
            .k = x.width,
            .outBegin = static_cast<uint32_t>(begin),
            .outEnd = static_cast<uint32_t>(end),
        };
        multiplyRows(part.kernel, *part.matrix, 0, args, scratch);
        if (!part.bias) return;
        const float* bias = context.vector(m_op, *part.bias);
        for (size_t row = 0; row < args.numRows; ++row) {
            for (size_t out = begin; out < end; ++out) args.y[row * y.width + out] += bias[out];
        }
    }

    const Op& m_op;
    std::vector<Part> m_parts;
    std::vector<Input> m_inputs;
    size_t m_total = 0;  ///< outputs of all parts
    size_t m_grain = 0;
};

Scratch scratch(const Op& op, const Plan& plan) {
    size_t expanded = 0;
    size_t inputBytes = matmulInputBytes(ActivationForm::Blocks, op.inputs[0].width);
    for (const LinearPart& part : std::get<LinearParams>(op.params).parts) {
        const tensor::Tensor& matrix = *plan.weights[op.weights[part.matrix]].tensor;
        expanded = std::max(expanded, expandedBytes(matrix));
        if (!inputOrder(matrix, 0).empty())
            inputBytes += matmulInputBytes(ActivationForm::Floats, op.inputs[0].width);
    }
    return {.sharedBytes = plan.maxTokens * inputBytes, .threadBytes = expanded};
}

}  // namespace

extern const CpuOp op{OpCode::Linear, prepared<Linear>, scratch, SideData::Read};

}  // namespace ingle::backend::cpu::linear_op
