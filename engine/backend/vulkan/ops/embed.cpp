#include "engine/backend/vulkan/vulkan_op.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Embed};

/// A row is a hundred groups or so.
constexpr uint32_t kInvocations = 32;

struct Push {
    uint32_t rowVectors, plane1, plane2, plane3;
    uint32_t k, numRows, firstRow;
};

Status record(const OpRun& run, OpRecording& out) {
    const tensor::Tensor* table = &out.tensor(run.op(0), 0);
    INGLE_TRY_ASSIGN(const DeviceMatrix* matrix, out.weights().matrix({&table, 1}, RowOrder::Behind));
    Push push{.rowVectors = matrix->row.rowBytes / kVectorBytes,
              .plane1 = matrix->row.offsets[1] / kVectorBytes,
              .plane2 = matrix->row.offsets[2] / kVectorBytes,
              .plane3 = matrix->row.offsets[3] / kVectorBytes,
              .k = matrix->k};
    for (const MatrixShard& shard : matrix->shards) {
        push.firstRow = shard.firstRow;
        push.numRows = shard.numRows;
        const uint32_t groups = groupsFor(matrix->k, kWeightGroup);
        INGLE_TRY(out.dispatch(fmt::format("embed_{}", matrix->format->name), {kInvocations, out.stepRows()},
                               {reads(shard.range), reads(out.step()), writes(out.rows(run.output(0)))}, push,
                               {groupsFor(groups, kInvocations), out.numTokens(), 1}));
    }
    return {};
}

}  // namespace

extern const VulkanOp embed_op;
const VulkanOp embed_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
