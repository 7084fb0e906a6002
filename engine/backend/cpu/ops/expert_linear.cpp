// The rows that chose an expert are gathered, so that its matrix is read once for all of them. A row's result
// does not depend on the others', hence not on batching.
#include <algorithm>

#include "engine/backend/cpu/expanded_matmul.h"
#include "engine/backend/cpu/matmul_input.h"
#include "engine/base/check.h"

namespace ingle::backend::cpu::expert_linear_op {
namespace {

/// Outputs a thread takes at a time, as in linear.cpp; at most so many, since experts have different numbers
/// of rows.
constexpr size_t kGrain = 32;
constexpr size_t kMostGrain = 512;
constexpr size_t kPiecesPerThread = 4;

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
        numUsed = op.inputs[1].width / 2;
    }
    size_t partsOf(Operand x) const { return x.width / in; }
    /// Room for a gathered row in either form of activations.
    size_t xBytes(size_t numRows) const { return numRows * numUsed * in * sizeof(float); }
    size_t yBytes(size_t numRows) const { return numRows * numUsed * out * sizeof(float); }
    size_t choicesBytes(size_t numRows) const { return numRows * numUsed * sizeof(Choice); }
    size_t firstsBytes() const { return (numExperts + 1) * sizeof(uint32_t); }
    size_t activeBytes() const { return numExperts * sizeof(uint32_t); }
};

/// The step's choices in order of experts, and of rows for each.
struct Choices {
    Choice* all;
    uint32_t* firsts;  ///< those of expert e are [firsts[e], firsts[e + 1])
    uint32_t* active;  ///< experts that were chosen at all
    size_t numActive = 0;
};

class ExpertLinear final : public PreparedOp {
  public:
    ExpertLinear(const Op& op, const Preparation& preparation)
        : m_op(op),
          m_layout(op, preparation.plan),
          m_experts(preparation.matrix(op, 0)),
          m_kernel(matmulFor(m_experts, static_cast<uint32_t>(m_layout.out), preparation)),
          m_input(m_kernel.activation, preparation.isa),
          m_xRowBytes(matmulInputBytes(m_kernel.activation, m_layout.in)) {}

    void run(const StepContext& context) override {
        const size_t numRows = context.numRows(m_op.outputs[0]);
        std::byte* xGathered = context.sharedScratch;
        auto* yGathered = reinterpret_cast<float*>(xGathered + m_layout.xBytes(numRows));
        auto* all = reinterpret_cast<Choice*>(yGathered + numRows * m_layout.numUsed * m_layout.out);
        auto* firsts = reinterpret_cast<uint32_t*>(all + numRows * m_layout.numUsed);
        Choices choices{.all = all, .firsts = firsts, .active = firsts + m_layout.numExperts + 1};
        sortByExpert(context, numRows, choices);

        const size_t count = numRows * m_layout.numUsed;
        gather(context, choices, count, xGathered);
        // Chosen experts only, so that every thread has work.
        const size_t total = choices.numActive * m_layout.out;
        const size_t even = total / (context.threads.numThreads() * kPiecesPerThread);
        const size_t grain = std::clamp(even / kGrain * kGrain, kGrain, kMostGrain);
        context.threads.parallelFor(total, grain, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t i = begin / m_layout.out; i * m_layout.out < end; ++i) {
                const size_t first = i * m_layout.out;
                multiply(context, choices, choices.active[i], std::max(begin, first) - first,
                         std::min(end, first + m_layout.out) - first, xGathered, yGathered,
                         context.threadFloats(thread));
            }
        });
        const Operand y = m_op.outputs[0];
        context.threads.parallelFor(count, kGrain, [&](size_t begin, size_t end, uint32_t) {
            for (size_t i = begin; i < end; ++i) {
                std::copy_n(
                    yGathered + i * m_layout.out, m_layout.out,
                    context.rows(y) + choices.all[i].row * y.width + choices.all[i].part * m_layout.out);
            }
        });
    }

  private:
    size_t expertOf(const StepContext& context, const Choice& choice) const {
        return expertOf(context, choice.row, choice.part);
    }
    size_t expertOf(const StepContext& context, size_t row, size_t part) const {
        const Operand routing = m_op.inputs[1];
        const auto expert = static_cast<size_t>(context.rows(routing)[row * routing.width + part]);
        INGLE_CHECK(expert < m_layout.numExperts, "expert {} of {}", expert, m_layout.numExperts);
        return expert;
    }

    void sortByExpert(const StepContext& context, size_t numRows, Choices& choices) const {
        uint32_t* firsts = choices.firsts;
        std::fill_n(firsts, m_layout.numExperts + 1, 0U);
        for (size_t row = 0; row < numRows; ++row)
            for (size_t part = 0; part < m_layout.numUsed; ++part) ++firsts[expertOf(context, row, part) + 1];
        for (uint32_t e = 0; e < m_layout.numExperts; ++e) {
            if (firsts[e + 1] > 0) choices.active[choices.numActive++] = e;
            firsts[e + 1] += firsts[e];
        }
        for (size_t row = 0; row < numRows; ++row) {
            for (size_t part = 0; part < m_layout.numUsed; ++part) {
                const size_t e = expertOf(context, row, part);
                choices.all[firsts[e]++] = {static_cast<uint32_t>(row), static_cast<uint32_t>(part)};
            }
        }
        // Each has moved on to where the next one begins.
        std::copy_backward(firsts, firsts + m_layout.numExperts, firsts + m_layout.numExperts + 1);
        firsts[0] = 0;
    }

    void gather(const StepContext& context, const Choices& choices, size_t count,
                std::byte* xGathered) const {
        const Operand x = m_op.inputs[0];
        context.threads.parallelFor(count, 1, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t i = begin; i < end; ++i) {
                const size_t part = m_layout.partsOf(x) == 1 ? 0 : choices.all[i].part;
                const float* row = context.rows(x) + choices.all[i].row * x.width + part * m_layout.in;
                const auto order = inputOrder(m_experts, expertOf(context, choices.all[i]) * m_layout.out);
                if (!order.empty()) {
                    putInOrder({row, m_layout.in}, order, context.threadFloats(thread));
                    row = context.threadFloats(thread);
                }
                m_input.write({row, m_layout.in}, xGathered + i * m_xRowBytes);
            }
        });
    }

    /// Outputs [begin, end) of an expert, for all rows that chose it.
    void multiply(const StepContext& context, const Choices& choices, size_t expert, size_t begin, size_t end,
                  const std::byte* xGathered, float* yGathered, float* scratch) const {
        const uint32_t first = choices.firsts[expert];
        const kernels::MatmulArgs args{
            .numOut = static_cast<uint32_t>(m_layout.out),
            .x = xGathered + first * m_xRowBytes,
            .xRowBytes = m_xRowBytes,
            .y = yGathered + first * m_layout.out,
            .yStride = m_layout.out,
            .numRows = choices.firsts[expert + 1] - first,
            .k = static_cast<uint32_t>(m_layout.in),
            .outBegin = static_cast<uint32_t>(begin),
            .outEnd = static_cast<uint32_t>(end),
        };
        multiplyRows(m_kernel, m_experts, expert * m_layout.out, args, scratch);
        if (m_op.weights.size() < 2) return;
        const float* bias = context.vector(m_op, 1) + expert * m_layout.out;
        for (size_t row = 0; row < args.numRows; ++row) {
            for (size_t out = begin; out < end; ++out) args.y[row * m_layout.out + out] += bias[out];
        }
    }

    const Op& m_op;
    Layout m_layout;
    const tensor::Tensor& m_experts;
    kernels::MatmulKernel m_kernel;
    MatmulInput m_input;
    size_t m_xRowBytes;
};

Scratch scratch(const Op& op, const Plan& plan) {
    const Layout layout(op, plan);
    return {.sharedBytes = layout.xBytes(plan.maxTokens) + layout.yBytes(plan.maxTokens) +
                           layout.choicesBytes(plan.maxTokens) + layout.firstsBytes() + layout.activeBytes(),
            .threadBytes = expandedBytes(*plan.weights[op.weights[0]].tensor)};
}

}  // namespace

extern const CpuOp op{OpCode::ExpertLinear, prepared<ExpertLinear>, scratch, SideData::Read};

}  // namespace ingle::backend::cpu::expert_linear_op
