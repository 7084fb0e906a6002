// Products with the matrices of experts: one by one for few rows, by tiles of each expert's rows for many.
#include "engine/backend/vulkan/matvec/matmul.h"
#include "engine/backend/vulkan/recording/vulkan_op.h"
#include "engine/backend/vulkan/weights/matrix_push.h"

namespace ingle::backend::vulkan::expert_linear_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::ExpertLinear};

constexpr uint32_t kInvocations = 64;
constexpr uint32_t kOutputs = 2;  // of a workgroup

/// Of shaders/matvec.glsl and matmul_halves.comp, with EXPERTS.
struct ExpertPush {
    LinearPush linear;
    uint32_t xParts, numUsed;
};

class ExpertLinear {
  public:
    ExpertLinear(const OpRun& run, OpRecording& out)
        : m_out(out),
          m_experts(&out.tensor(run.op(0), 0)),
          m_x(run.input(0, 0)),
          m_routing(run.input(0, 1)),
          m_y(run.output(0)),
          m_size{.numExperts = static_cast<uint32_t>(m_experts->shape.dims[2]),
                 .numOutputs = static_cast<uint32_t>(m_experts->shape.dims[1]),
                 .k = static_cast<uint32_t>(m_experts->shape.rowElems()),
                 .numSlots = out.numRows(m_y) * (run.width(m_routing) / 2)},
          m_numUsed(run.width(m_routing) / 2),
          m_xParts(run.width(m_x) / m_size.k) {}

    Status record(const Op& op) {
        INGLE_TRY_ASSIGN(const DeviceMatrix* matrix,
                         m_out.weights().matrix({&m_experts, 1}, RowOrder::Behind));
        const bool hasBias = op.weights.size() > 1;
        BufferRange bias = m_out.unused();
        if (hasBias) {
            INGLE_TRY_ASSIGN(bias, m_out.vector(op, 1));
        }
        if (const auto tiles = tiled(*matrix, hasBias)) return recordTiles(*matrix, *tiles, bias);
        return isEven(kWeightGroup) && m_out.numRows(m_y) <= kMaxMatvecRows
                   ? recordSlots(*matrix, hasBias, bias)
                   : recordRows(*matrix, hasBias, bias);
    }

  private:
    /// Whether parts of rows are whole groups of so many values, and those of outputs whole vectors.
    bool isEven(uint32_t group) const {
        return m_size.numOutputs % 4 == 0 && (m_xParts == 1 || m_size.k % group == 0);
    }

    std::optional<MatmulKernel> tiled(const DeviceMatrix& matrix, bool hasBias) const {
        constexpr uint32_t kHalvesGroup = 64;  // see shaders/row_halves_store.glsl
        if (m_out.numRows(m_y) <= kMaxMatvecRows || !isEven(kHalvesGroup)) return std::nullopt;
        return m_out.matmulKernels().findExperts(*matrix.format, m_size, hasBias);
    }

    ExpertPush pushFor(const DeviceMatrix& matrix, const MatrixShard& shard) const {
        ExpertPush push{linearPush(matrix, shard, m_out.numRows(m_y)), m_xParts, m_numUsed};
        push.linear.numOut = m_size.numOutputs;
        return push;
    }

    Status recordTiles(const DeviceMatrix& matrix, const MatmulKernel& kernel, const BufferRange& bias) {
        INGLE_TRY_ASSIGN(const BufferRange x, m_out.rowsAs(m_x, RowForm::Halves));
        const uint32_t tile = kernel.spec.constants[2];
        INGLE_TRY_ASSIGN(const BufferRange plan,
                         m_out.expertPlan(m_routing, m_size.numExperts, tile, kernel.groups[1]));
        const BufferRange& y = m_out.rows(m_y);
        for (const MatrixShard& shard : matrix.shards) {
            struct {
                LinearPush linear;
                uint32_t xParts, numUsed;
            } push{linearPush(matrix, shard, m_out.numRows(m_y)), m_xParts, m_numUsed};
            push.linear.numOut = m_size.numOutputs;
            INGLE_TRY(m_out.dispatch(
                kernel.spec,
                {reads(shard.range), reads(x), reads(bias), reads(plan), writes(y), writes(y), writes(y)},
                push, kernel.groups));
        }
        return {};
    }

    /// Each row of x with each expert that it chose.
    Status recordSlots(const DeviceMatrix& matrix, bool hasBias, const BufferRange& bias) {
        const MatvecShape shape = m_out.matvecShapes().find(*matrix.format, m_size.k, 1).value();
        BufferRange x = m_out.rows(m_x);
        if (shape.input == MatvecInput::Bytes) {
            INGLE_TRY_ASSIGN(x, m_out.rowsAs(m_x, RowForm::Bytes));
        }
        PipelineSpec spec =
            matvecKernel(shape, *matrix.format, 1, std::array{0U, uint32_t{hasBias}, 0U, ~0U});
        spec.constants.push_back(true);  // EXPERTS
        std::array<uint32_t, 3> groups = matvecGroups(shape, m_size.numOutputs);
        groups[2] = m_size.numSlots;
        const BufferRange& y = m_out.rows(m_y);
        for (const MatrixShard& shard : matrix.shards) {
            INGLE_TRY(m_out.dispatch(spec,
                                     {reads(shard.range), reads(x), reads(bias), reads(m_out.rows(m_routing)),
                                      writes(y), writes(y), writes(y)},
                                     pushFor(matrix, shard), groups));
        }
        return {};
    }

    Status recordRows(const DeviceMatrix& matrix, bool hasBias, const BufferRange& bias) {
        for (const MatrixShard& shard : matrix.shards) {
            const struct {
                MatrixPush matrix;
                uint32_t numOut, xParts, numUsed, numTokens;
            } push{matrixPush(matrix, shard), m_size.numOutputs, m_xParts, m_numUsed, m_out.numRows(m_y)};
            INGLE_TRY(m_out.dispatch(fmt::format("expert_linear_{}", matrix.format->name),
                                     {kInvocations, kOutputs, hasBias},
                                     {reads(shard.range), reads(m_out.rows(m_x)),
                                      reads(m_out.rows(m_routing)), writes(m_out.rows(m_y)), reads(bias)},
                                     push, {groupsFor(m_size.numOutputs, kOutputs), m_size.numExperts, 1}));
        }
        return {};
    }

    OpRecording& m_out;
    const tensor::Tensor* m_experts;
    const ValueId m_x, m_routing, m_y;
    const ExpertSize m_size;
    const uint32_t m_numUsed;
    const uint32_t m_xParts;  ///< of a row of x: each expert has its own, or all have the whole row
};

Status record(const OpRun& run, OpRecording& out) {
    return ExpertLinear(run, out).record(run.op(0));
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::expert_linear_ops
