// The dispatches of a Linear op and of what may follow it.
#include <optional>

#include "engine/backend/vulkan/matvec/matmul.h"
#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::linear_ops {
namespace {

constexpr uint32_t kMaxStackedParts = 3;
constexpr uint32_t kNoActivation = ~0U;

/// How the rows of a dispatch's parts lie, as shaders/epilogue.glsl numbers it.
enum class OutputOrder : uint32_t { Behind = 0, InTurns = 1, Gated = 2 };

/// Parts of the op that one matrix holds.
using Stack = std::vector<const LinearPart*>;

const tensor::Tensor& matrixOf(const Op& op, const Plan& plan, const LinearPart& part) {
    return *plan.weights[op.weights[part.matrix]].tensor;
}

bool areStoredAlike(const tensor::Tensor& a, const tensor::Tensor& b) {
    return &weightFormatOf(a) == &weightFormatOf(b);
}

/// Whether they can be stacked in turns.
bool areInterchangeable(const tensor::Tensor& a, const tensor::Tensor& b) {
    return areStoredAlike(a, b) && a.shape == b.shape;
}

/// What is done to the products before they are stored, see shaders/epilogue.glsl.
struct LinearEpilogue {
    std::optional<ActivationKind> activation;
    std::optional<ValueId> residual;  ///< added last; of ops with one part
    /// y = f(part 0) * part 1 is stored here, and neither part; `activation` is f.
    std::optional<ValueId> gated;
    /// Where the only part goes instead of the Linear's own output.
    std::optional<ValueId> output;
};

class Linear {
  public:
    Linear(const OpRun& run, const LinearEpilogue& epilogue, OpRecording& out)
        : m_run(run),
          m_op(run.op(0)),
          m_params(run.params<LinearParams>(0)),
          m_epilogue(epilogue),
          m_out(out) {}

    Status record() {
        for (const Stack& stack : stacks()) INGLE_TRY(recordStack(stack));
        return {};
    }

  private:
    const tensor::Tensor& tensor(const LinearPart& part) const { return m_out.tensor(m_op, part.matrix); }

    /// Parts that are stored alike share a dispatch.
    std::vector<Stack> stacks() const {
        std::vector<Stack> stacks;
        for (const LinearPart& part : m_params.parts) {
            const auto fits = [&](const Stack& stack) {
                return stack.size() < kMaxStackedParts && areStoredAlike(tensor(*stack[0]), tensor(part));
            };
            const auto found = std::ranges::find_if(stacks, fits);
            if (found != stacks.end())
                found->push_back(&part);
            else
                stacks.push_back({&part});
        }
        return stacks;
    }

    static bool isBiased(const Stack& stack) {
        return std::ranges::any_of(stack, [](const LinearPart* part) { return part->bias.has_value(); });
    }

    ValueId outputOf(const LinearPart& part) const {
        if (m_epilogue.gated) return *m_epilogue.gated;
        if (m_epilogue.output) return *m_epilogue.output;
        return m_run.output(0, static_cast<size_t>(&part - m_params.parts.data()));
    }

    OutputOrder orderOf(const Stack& stack) const {
        if (m_epilogue.gated) return OutputOrder::Gated;
        // The order in which a fused run would want them, so that the weights are the same.
        const bool pair =
            stack.size() == 2 && areInterchangeable(tensor(*stack[0]), tensor(*stack[1])) && !isBiased(stack);
        return pair ? OutputOrder::InTurns : OutputOrder::Behind;
    }

    /// One for each row of parts that lie behind each other.
    Result<BufferRange> biasOf(const Stack& stack) const {
        if (!isBiased(stack)) return m_out.unused();
        std::vector<VectorPart> parts;
        for (const LinearPart* part : stack) {
            const tensor::Tensor* bias = part->bias ? &m_out.tensor(m_op, *part->bias) : nullptr;
            parts.push_back({bias, static_cast<uint32_t>(tensor(*part).shape.numRows())});
        }
        return m_out.weights().vector(parts);
    }

    Status recordStack(const Stack& stack) {
        const OutputOrder order = orderOf(stack);
        std::vector<const tensor::Tensor*> tensors;
        for (const LinearPart* part : stack) tensors.push_back(&tensor(*part));
        INGLE_TRY_ASSIGN(const DeviceMatrix* matrix,
                         m_out.weights().matrix(
                             tensors, order == OutputOrder::Behind ? RowOrder::Behind : RowOrder::InTurns));
        INGLE_TRY_ASSIGN(const BufferRange bias, biasOf(stack));

        const ValueId x = m_run.input(0, 0);
        std::vector<Binding> bindings{{}, reads(m_out.rows(x)), reads(bias)};
        bindings.push_back(reads(m_epilogue.residual ? m_out.rows(*m_epilogue.residual) : m_out.unused()));
        // Outputs that are not there are bound to the first: nothing is written to them.
        const size_t numOutputs = order == OutputOrder::Gated ? 1 : stack.size();
        for (size_t i = 0; i < kMaxStackedParts; ++i)
            bindings.push_back(writes(m_out.rows(outputOf(*stack[i < numOutputs ? i : 0]))));
        const auto rowsUpTo = [&](size_t count) {
            uint32_t rows = 0;
            for (size_t i = 0; i < std::min(count, stack.size()); ++i)
                rows += static_cast<uint32_t>(tensors[i]->shape.numRows());
            return rows;
        };
        const std::vector<uint32_t> constants{
            static_cast<uint32_t>(order), isBiased(stack), m_epilogue.residual.has_value(),
            m_epilogue.activation ? static_cast<uint32_t>(*m_epilogue.activation) : kNoActivation};
        for (const MatrixShard& shard : matrix->shards) {
            bindings[0] = reads(shard.range);
            LinearPush push = linearPush(*matrix, shard, m_out.numRows(x));
            push.split1 = rowsUpTo(1);
            push.split2 = rowsUpTo(2);
            const auto shape = matvecShape(*matrix, push.numTokens);
            INGLE_TRY(shape ? recordMatvec(*shape, *matrix, constants, bindings, push)
                            : recordMatmul(*matrix, constants, bindings, push));
        }
        return {};
    }

    /// None where the rows are too many for one.
    std::optional<MatvecShape> matvecShape(const DeviceMatrix& matrix, uint32_t numRows) const {
        if (numRows > kMaxMatvecRows) return std::nullopt;
        return m_out.matvecShapes().find(*matrix.format, matrix.k, numRows);
    }

    Status recordMatvec(const MatvecShape& shape, const DeviceMatrix& matrix,
                        const std::vector<uint32_t>& epilogue, std::vector<Binding> bindings,
                        const LinearPush& push) {
        if (shape.input == MatvecInput::Bytes) {
            INGLE_TRY_ASSIGN(const BufferRange x, m_out.rowsAs(m_run.input(0, 0), RowForm::Bytes));
            bindings[1] = reads(x);
        }
        return m_out.dispatch(matvecKernel(shape, *matrix.format, push.numTokens, epilogue), bindings, push,
                              matvecGroups(shape, push.matrix.numRows));
    }

    Status recordMatmul(const DeviceMatrix& matrix, const std::vector<uint32_t>& epilogue,
                        std::vector<Binding> bindings, const LinearPush& push) {
        MatmulKernel kernel =
            m_out.matmulKernels().find(*matrix.format, {push.matrix.numRows, push.matrix.k, push.numTokens},
                                       epilogue, m_out.scratch().bytes);
        if (kernel.readsHalves) {
            INGLE_TRY_ASSIGN(const BufferRange x, m_out.rowsAs(m_run.input(0, 0), RowForm::Halves));
            bindings[1] = reads(x);
        }
        if (!kernel.parts) return m_out.dispatch(std::move(kernel.spec), bindings, push, kernel.groups);
        const BufferRange sums = m_out.scratch().part(0, kernel.parts->bytes);
        std::vector<Binding> split{bindings[0], bindings[1], reads(m_out.unused()), reads(m_out.unused())};
        split.resize(bindings.size(), writes(sums));
        INGLE_TRY(m_out.dispatch(std::move(kernel.spec), std::move(split), push, kernel.groups));
        bindings[0] = reads(sums);
        bindings[1] = reads(m_out.unused());
        const MatmulPartsPush adding = partsPush(push, kernel);
        return m_out.dispatch(std::move(kernel.parts->adding), bindings, adding, kernel.parts->groups);
    }

    const OpRun& m_run;
    const Op& m_op;
    const LinearParams& m_params;
    const LinearEpilogue& m_epilogue;
    OpRecording& m_out;
};

Status recordLinear(const OpRun& run, const LinearEpilogue& epilogue, OpRecording& out) {
    return Linear(run, epilogue, out).record();
}

/// Whether its two parts can be gated: they can be stacked in turns.
bool canGate(const Op& linear, const Plan& plan) {
    const auto& parts = std::get<LinearParams>(linear.params).parts;
    return parts.size() == 2 && !parts[0].bias && !parts[1].bias &&
           areInterchangeable(matrixOf(linear, plan, parts[0]), matrixOf(linear, plan, parts[1]));
}

constexpr OpCode kPlain[] = {OpCode::Linear};

Status recordPlain(const OpRun& run, OpRecording& out) {
    return recordLinear(run, {}, out);
}

// y = f(W x + b).
constexpr OpCode kLinearActivation[] = {OpCode::Linear, OpCode::Activation};

bool fitsLinearActivation(const OpRun& run, const Plan&) {
    return run.outputs(0).size() == 1 && run.usedOnce(run.output(0)) && run.reads(1, run.output(0));
}

Status recordLinearActivation(const OpRun& run, OpRecording& out) {
    return recordLinear(run, {.activation = run.params<ActivationParams>(1).kind, .output = run.output(1)},
                        out);
}

// y = h + (W x + b).
constexpr OpCode kLinearAdd[] = {OpCode::Linear, OpCode::Add};

bool fitsLinearAdd(const OpRun& run, const Plan&) {
    return run.outputs(0).size() == 1 && run.usedOnce(run.output(0)) && run.reads(1, run.output(0));
}

Status recordLinearAdd(const OpRun& run, OpRecording& out) {
    const ValueId product = run.output(0);
    return recordLinear(run, {.residual = run.otherInput(1, product), .output = run.output(1)}, out);
}

// y = f(W_0 x) * W_1 x.
constexpr OpCode kLinearGatedActivation[] = {OpCode::Linear, OpCode::GatedActivation};

bool fitsLinearGatedActivation(const OpRun& run, const Plan& plan) {
    return canGate(run.op(0), plan) && run.usedOnce(run.output(0, 0)) && run.usedOnce(run.output(0, 1)) &&
           run.input(1, 0) == run.output(0, 0) && run.input(1, 1) == run.output(0, 1);
}

Status recordLinearGatedActivation(const OpRun& run, OpRecording& out) {
    return recordLinear(run, {.activation = run.params<ActivationParams>(1).kind, .gated = run.output(1)},
                        out);
}

constexpr VulkanOp kOps[] = {
    {kPlain, nullptr, recordPlain},
    {kLinearActivation, fitsLinearActivation, recordLinearActivation},
    {kLinearAdd, fitsLinearAdd, recordLinearAdd},
    {kLinearGatedActivation, fitsLinearGatedActivation, recordLinearGatedActivation},
};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::linear_ops
