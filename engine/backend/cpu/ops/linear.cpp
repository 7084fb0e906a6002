#include <algorithm>

#include "engine/backend/cpu/matmul_input.h"

namespace ingle::backend::cpu {
namespace {

using kernels::ActivationForm;

/// Outputs per piece are a multiple of this: whole vectors, and whole pairs of them, on every instruction
/// set.
constexpr size_t kAlign = 32;
/// Pieces per thread: long runs of consecutive weights are read fastest, several pieces keep threads even.
constexpr size_t kPiecesPerThread = 4;

kernels::MatmulKernel kernelOf(const Op& op, const StepContext& context, size_t part) {
    const auto& parts = std::get<LinearParams>(op.params).parts;
    return kernels::selectMatmul(*context.matrix(op, parts[part].matrix).format, op.outputs[part].width,
                                 context.isa, context.activations);
}

/// Computes outputs [begin, end) of one part.
void multiply(const Op& op, const StepContext& context, size_t partIndex, size_t begin, size_t end) {
    const Operand x = op.inputs[0];
    const Operand y = op.outputs[partIndex];
    const LinearPart& part = std::get<LinearParams>(op.params).parts[partIndex];
    const tensor::Tensor& matrix = context.matrix(op, part.matrix);
    const kernels::MatmulKernel kernel = kernelOf(op, context, partIndex);
    const bool blocks = kernel.activation == ActivationForm::Blocks;
    const kernels::MatmulArgs args{
        .format = matrix.format,
        .weights = matrix.data.data(),
        .weightRowBytes = matrix.data.size() / y.width,
        .numOut = y.width,
        .x = blocks ? context.sharedScratch : reinterpret_cast<const std::byte*>(context.rows(x)),
        .xRowBytes = matmulInputBytes(kernel.activation, x.width),
        .y = context.rows(y),
        .yStride = y.width,
        .numRows = static_cast<uint32_t>(context.numRows(x)),
        .k = x.width,
        .outBegin = static_cast<uint32_t>(begin),
        .outEnd = static_cast<uint32_t>(end),
    };
    kernel.fn(args);
    if (part.bias < 0) return;
    const float* bias = context.vector(op, static_cast<uint32_t>(part.bias));
    for (size_t row = 0; row < args.numRows; ++row) {
        for (size_t out = begin; out < end; ++out) args.y[row * y.width + out] += bias[out];
    }
}

/// Rounds the activations to 8-bit blocks once, when any part's kernel wants them so.
void roundActivations(const Op& op, const StepContext& context) {
    bool wanted = false;
    for (size_t part = 0; part < op.outputs.size(); ++part)
        wanted = wanted || kernelOf(op, context, part).activation == ActivationForm::Blocks;
    if (!wanted) return;
    const Operand x = op.inputs[0];
    const size_t rowBytes = matmulInputBytes(ActivationForm::Blocks, x.width);
    context.threads.parallelFor(context.numRows(x), 1, [&](size_t begin, size_t end, uint32_t) {
        for (size_t row = begin; row < end; ++row) {
            writeMatmulInput(ActivationForm::Blocks, {context.rows(x) + row * x.width, x.width}, context.isa,
                             context.sharedScratch + row * rowBytes);
        }
    });
}

void run(const Op& op, const StepContext& context) {
    if (context.numRows(op.inputs[0]) == 0) return;
    roundActivations(op, context);
    size_t total = 0;
    for (const Operand& y : op.outputs) total += y.width;
    const size_t pieces = context.threads.numThreads() * kPiecesPerThread;
    const size_t grain = (total / pieces + kAlign - 1) / kAlign * kAlign;
    context.threads.parallelFor(total, std::max(grain, kAlign), [&](size_t begin, size_t end, uint32_t) {
        size_t first = 0;  // of the current part, in the row of all outputs
        for (size_t part = 0; part < op.outputs.size(); ++part) {
            const size_t width = op.outputs[part].width;
            const size_t from = std::max(begin, first);
            const size_t to = std::min(end, first + width);
            if (from < to) multiply(op, context, part, from - first, to - first);
            first += width;
        }
    });
}

Scratch scratch(const Op& op, const Plan& plan) {
    return {.sharedBytes = plan.maxTokens * matmulInputBytes(ActivationForm::Blocks, op.inputs[0].width),
            .threadBytes = 0};
}

}  // namespace

extern const CpuOp linear_op;
const CpuOp linear_op{OpCode::Linear, run, scratch};

}  // namespace ingle::backend::cpu
