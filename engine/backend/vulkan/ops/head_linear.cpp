#include "engine/backend/vulkan/recording/vulkan_op.h"
#include "engine/backend/vulkan/weights/matrix_push.h"

namespace ingle::backend::vulkan::head_linear_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::HeadLinear};

constexpr uint32_t kInvocations = 64;
constexpr uint32_t kGroup = 32;  // outputs of a workgroup where matrices are turned: what is decoded at once

struct Push {
    MatrixPush matrix;
    uint32_t numHeads, headRows, first, count, numTokens;
};

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<HeadLinearParams>(0);
    const tensor::Tensor* matrices = &out.tensor(run.op(0), 0);
    INGLE_TRY_ASSIGN(const DeviceMatrix* matrix, out.weights().matrix({&matrices, 1}, RowOrder::Behind));
    if (params.turned && matrix->shards.size() > 1)
        return fail(ErrorCode::Unsupported,
                    "the weight \"{}\" of {} rows does not fit one binding of this device", matrices->name,
                    matrix->numRows);
    for (const MatrixShard& shard : matrix->shards) {
        const Push push{.matrix = matrixPush(*matrix, shard),
                        .numHeads = params.numHeads,
                        .headRows = matrix->numRows / params.numHeads,
                        .first = params.firstRow,
                        .count = params.numRows,
                        .numTokens = out.numRows(run.output(0))};
        const uint32_t groups = params.turned ? groupsFor(matrix->k, kGroup) : params.numRows;
        INGLE_TRY(out.dispatch(
            fmt::format("head_linear_{}", matrix->format->name), {kInvocations, params.turned},
            {reads(shard.range), reads(out.rows(run.input(0, 0))), writes(out.rows(run.output(0)))}, push,
            {groups, params.numHeads, 1}));
    }
    return {};
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::head_linear_ops
