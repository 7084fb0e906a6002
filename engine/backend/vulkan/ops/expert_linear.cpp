#include "engine/backend/vulkan/recording/vulkan_op.h"
#include "engine/backend/vulkan/weights/matrix_push.h"

namespace ingle::backend::vulkan::expert_linear_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::ExpertLinear};

constexpr uint32_t kInvocations = 64;
constexpr uint32_t kOutputs = 2;  // of a workgroup

struct Push {
    MatrixPush matrix;
    uint32_t numOut, xParts, numUsed, numTokens;
};

Status record(const OpRun& run, OpRecording& out) {
    const tensor::Tensor* experts = &out.tensor(run.op(0), 0);
    INGLE_TRY_ASSIGN(const DeviceMatrix* matrix, out.weights().matrix({&experts, 1}, RowOrder::Behind));
    const auto numOut = static_cast<uint32_t>(experts->shape.dims[1]);
    const auto numExperts = static_cast<uint32_t>(experts->shape.dims[2]);
    const bool hasBias = run.op(0).weights.size() > 1;
    BufferRange bias = out.unused();
    if (hasBias) {
        INGLE_TRY_ASSIGN(bias, out.vector(run.op(0), 1));
    }
    for (const MatrixShard& shard : matrix->shards) {
        const Push push{.matrix = matrixPush(*matrix, shard),
                        .numOut = numOut,
                        .xParts = run.width(run.input(0, 0)) / matrix->k,
                        .numUsed = run.width(run.input(0, 1)) / 2,
                        .numTokens = out.numRows(run.output(0))};
        INGLE_TRY(out.dispatch(
            fmt::format("expert_linear_{}", matrix->format->name), {kInvocations, kOutputs, hasBias},
            {reads(shard.range), reads(out.rows(run.input(0, 0))), reads(out.rows(run.input(0, 1))),
             writes(out.rows(run.output(0))), reads(bias)},
            push, {groupsFor(numOut, kOutputs), numExperts, 1}));
    }
    return {};
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::expert_linear_ops
