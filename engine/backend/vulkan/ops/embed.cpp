#include "engine/backend/vulkan/recording/vulkan_op.h"
#include "engine/backend/vulkan/weights/matrix_push.h"

namespace ingle::backend::vulkan::embed_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::Embed};

/// A row is a hundred groups or so.
constexpr uint32_t kInvocations = 32;

Status record(const OpRun& run, OpRecording& out) {
    const tensor::Tensor* table = &out.tensor(run.op(0), 0);
    INGLE_TRY_ASSIGN(const DeviceMatrix* matrix, out.weights().matrix({&table, 1}, RowOrder::Behind));
    for (const MatrixShard& shard : matrix->shards) {
        const uint32_t groups = groupsFor(matrix->k, kWeightGroup);
        INGLE_TRY(out.dispatch(fmt::format("embed_{}", matrix->format->name), {kInvocations},
                               {reads(shard.range), reads(out.step()), writes(out.rows(run.output(0)))},
                               matrixPush(*matrix, shard),
                               {groupsFor(groups, kInvocations), out.numTokens(), 1}));
    }
    return {};
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::embed_ops
