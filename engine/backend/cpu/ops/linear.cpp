#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

/// Outputs a thread takes at a time: large enough to hide the hand-over (≈ 0.1 µs), small enough to balance
/// two threads.
constexpr size_t kGrain = 32;

const quant::QuantFormat& q8() {
    return *quant::findFormat(quant::kQ8_0);
}

size_t q8RowBytes(uint32_t width) {
    return size_t{width} / q8().blockElems * q8().blockBytes;
}

/// Computes outputs [begin, end) of one part.
void multiply(const Op& op, const StepContext& context, const LinearPart& part, Operand y, size_t begin,
              size_t end) {
    const Operand x = op.inputs[0];
    const tensor::Tensor& matrix = context.matrix(op, part.matrix);
    const kernels::MatmulKernel kernel =
        kernels::selectMatmul(*matrix.format, context.isa, context.activations);
    const bool rounded = kernel.activation == quant::kQ8_0;
    kernels::MatmulArgs args{};
    args.format = matrix.format;
    args.weights = matrix.data.data();
    args.weightRowBytes = matrix.data.size() / y.width;
    args.x = rounded ? context.sharedScratch : reinterpret_cast<const std::byte*>(context.rows(x));
    args.xRowBytes = rounded ? q8RowBytes(x.width) : x.width * sizeof(float);
    args.y = context.rows(y);
    args.yStride = y.width;
    args.numRows = static_cast<uint32_t>(context.numRows(x));
    args.k = x.width;
    args.outBegin = static_cast<uint32_t>(begin);
    args.outEnd = static_cast<uint32_t>(end);
    kernel.fn(args);
    if (part.bias < 0) return;
    const float* bias = context.vector(op, static_cast<uint32_t>(part.bias));
    for (size_t row = 0; row < args.numRows; ++row) {
        for (size_t out = begin; out < end; ++out) args.y[row * y.width + out] += bias[out];
    }
}

/// Rounds the activations to 8-bit blocks once, when any part's kernel wants them so.
void roundActivations(const Op& op, const StepContext& context) {
    const auto& parts = std::get<LinearParams>(op.params).parts;
    const bool wanted = std::ranges::any_of(parts, [&](const LinearPart& part) {
        const quant::QuantFormat& format = *context.matrix(op, part.matrix).format;
        return kernels::selectMatmul(format, context.isa, context.activations).activation == quant::kQ8_0;
    });
    if (!wanted) return;
    const Operand x = op.inputs[0];
    context.threads.parallelFor(context.numRows(x), 1, [&](size_t begin, size_t end, uint32_t) {
        for (size_t row = begin; row < end; ++row) {
            q8().encodeRow({context.rows(x) + row * x.width, x.width},
                           context.sharedScratch + row * q8RowBytes(x.width));
        }
    });
}

void run(const Op& op, const StepContext& context) {
    if (context.numRows(op.inputs[0]) == 0) return;
    roundActivations(op, context);
    const auto& parts = std::get<LinearParams>(op.params).parts;
    size_t total = 0;
    for (const Operand& y : op.outputs) total += y.width;
    context.threads.parallelFor(total, kGrain, [&](size_t begin, size_t end, uint32_t) {
        size_t first = 0;  // of the current part, in the row of all outputs
        for (size_t part = 0; part < parts.size(); ++part) {
            const Operand y = op.outputs[part];
            const size_t from = std::max(begin, first);
            const size_t to = std::min(end, first + y.width);
            if (from < to) multiply(op, context, parts[part], y, from - first, to - first);
            first += y.width;
        }
    });
}

Scratch scratch(const Op& op, const Plan& plan) {
    return {.sharedBytes = plan.maxTokens * (q8RowBytes(op.inputs[0].width) + 1), .threadBytes = 0};
}

}  // namespace

extern const CpuOp linear_op;
const CpuOp linear_op{OpCode::Linear, run, scratch};

}  // namespace ingle::backend::cpu
