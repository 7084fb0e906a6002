// The rows that chose an expert are gathered, so that its matrix is read once for all of them. A row's result
// does not depend on the others', hence not on batching.
#include <algorithm>

#include "engine/backend/cpu/matmul_input.h"

namespace ingle::backend::cpu {
namespace {

/// Outputs a thread takes at a time, as in linear.cpp.
constexpr size_t kGrain = 32;

/// One row's use of an expert.
struct Choice {
    uint32_t row;
    uint32_t part;  ///< which of the row's chosen experts it is
};

/// Sizes of the op, and how its scratch memory is divided.
struct Layout {
    size_t in, out, numExperts, numUsed;

    Layout(const Op& op, const Plan& plan) {
        const tensor::Shape& shape = plan.weights[op.weights[0]].tensor->shape;
        in = shape.dims[0];
        out = shape.dims[1];
        numExperts = shape.dims[2];
        numUsed = op.outputs[0].width / out;
    }
    size_t partsOf(Operand x) const { return x.width / in; }
    /// Room for a gathered row in either form of activations.
    size_t xRowBytes() const { return in * sizeof(float); }
    size_t xBytes(size_t numRows) const { return numRows * numUsed * xRowBytes(); }
    size_t yBytes(size_t numRows) const { return numRows * numUsed * out * sizeof(float); }
    size_t choicesBytes(size_t numRows) const { return numRows * numUsed * sizeof(Choice); }
    size_t firstsBytes() const { return (numExperts + 1) * sizeof(uint32_t); }
};

/// The step's choices in order of experts: those of expert e are [firsts[e], firsts[e + 1]).
struct Choices {
    Choice* all;
    uint32_t* firsts;
};

Choices sortByExpert(const float* routing, size_t numRows, size_t numExperts, Choice* all, uint32_t* firsts) {
    uint32_t count = 0;
    for (size_t e = 0; e < numExperts; ++e) {
        firsts[e] = count;
        for (size_t row = 0; row < numRows; ++row) {
            const float* p = routing + row * numExperts;
            if (p[e] == 0) continue;
            const auto part = static_cast<uint32_t>(e - static_cast<size_t>(std::count(p, p + e, 0.0f)));
            all[count++] = {static_cast<uint32_t>(row), part};
        }
    }
    firsts[numExperts] = count;
    return {all, firsts};
}

void run(const Op& op, const StepContext& context) {
    const size_t numRows = context.numRows(op.outputs[0]);
    const Layout layout(op, context.plan);
    const Operand x = op.inputs[0];
    const Operand y = op.outputs[0];
    const tensor::Tensor& experts = context.matrix(op, 0);
    const auto kernel = kernels::selectMatmul(*experts.format, static_cast<uint32_t>(layout.out), context.isa,
                                              context.activations);

    std::byte* xGathered = context.sharedScratch;
    auto* yGathered = reinterpret_cast<float*>(xGathered + layout.xBytes(numRows));
    auto* all = reinterpret_cast<Choice*>(yGathered + numRows * layout.numUsed * layout.out);
    auto* firsts = reinterpret_cast<uint32_t*>(all + numRows * layout.numUsed);
    const Choices choices = sortByExpert(context.rows(op.inputs[1]), numRows, layout.numExperts, all, firsts);
    const size_t count = firsts[layout.numExperts];

    const size_t xRowBytes = matmulInputBytes(kernel.activation, layout.in);
    context.threads.parallelFor(count, 1, [&](size_t begin, size_t end, uint32_t) {
        for (size_t i = begin; i < end; ++i) {
            const size_t part = layout.partsOf(x) == 1 ? 0 : choices.all[i].part;
            const float* row = context.rows(x) + choices.all[i].row * x.width + part * layout.in;
            writeMatmulInput(kernel.activation, {row, layout.in}, context.isa, xGathered + i * xRowBytes);
        }
    });

    const size_t expertBytes = experts.data.size() / layout.numExperts;
    context.threads.parallelFor(
        layout.numExperts * layout.out, kGrain, [&](size_t begin, size_t end, uint32_t) {
            for (size_t e = begin / layout.out; e * layout.out < end; ++e) {
                const uint32_t first = choices.firsts[e];
                if (choices.firsts[e + 1] == first) continue;
                kernels::MatmulArgs args{};
                args.format = experts.format;
                args.weights = experts.data.data() + e * expertBytes;
                args.weightRowBytes = expertBytes / layout.out;
                args.numOut = static_cast<uint32_t>(layout.out);
                args.x = xGathered + first * xRowBytes;
                args.xRowBytes = xRowBytes;
                args.y = yGathered + first * layout.out;
                args.yStride = layout.out;
                args.numRows = choices.firsts[e + 1] - first;
                args.k = static_cast<uint32_t>(layout.in);
                args.outBegin = static_cast<uint32_t>(std::max(begin, e * layout.out) - e * layout.out);
                args.outEnd = static_cast<uint32_t>(std::min(end, (e + 1) * layout.out) - e * layout.out);
                kernel.fn(args);
            }
        });

    for (size_t i = 0; i < count; ++i) {
        std::copy_n(yGathered + i * layout.out, layout.out,
                    context.rows(y) + choices.all[i].row * y.width + choices.all[i].part * layout.out);
    }
}

Scratch scratch(const Op& op, const Plan& plan) {
    const Layout layout(op, plan);
    return {.sharedBytes = layout.xBytes(plan.maxTokens) + layout.yBytes(plan.maxTokens) +
                           layout.choicesBytes(plan.maxTokens) + layout.firstsBytes(),
            .threadBytes = 0};
}

}  // namespace

extern const CpuOp expert_linear_op;
const CpuOp expert_linear_op{OpCode::ExpertLinear, unprepared<run>, scratch};

}  // namespace ingle::backend::cpu
