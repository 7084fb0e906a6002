// The heads of queries and keys are normalised and rotated, keys kept with the values.
#include "engine/backend/vulkan/rope_cache.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::RmsNorm, OpCode::RmsNorm, OpCode::Rope, OpCode::Rope, OpCode::KvAppend};

/// Whether op `i` normalises the heads that only op `rope` reads, with one gain for all of them.
bool normalisesHeads(const OpRun& run, const Plan& plan, size_t i, size_t rope) {
    const auto& params = run.params<RopeParams>(rope);
    return run.usedOnce(run.output(i)) && run.input(rope, 0) == run.output(i) &&
           run.op(i).weights.size() == 1 &&
           plan.weights[run.op(i).weights[0]].tensor->shape.numElems() == params.headDim &&
           !params.frequencies.empty() &&
           run.width(run.output(i)) == run.params<NormParams>(i).groups * params.headDim;
}

bool fits(const OpRun& run, const Plan& plan) {
    return run.inputs(4).size() == 2 && normalisesHeads(run, plan, 0, 2) &&
           normalisesHeads(run, plan, 1, 3) &&
           run.params<NormParams>(0).eps == run.params<NormParams>(1).eps && run.usedOnce(run.output(3)) &&
           run.input(4, 0) == run.output(3) &&
           sameRotation(run.params<RopeParams>(2), run.params<RopeParams>(3));
}

Status record(const OpRun& run, OpRecording& out) {
    RopeCache work{.rope = &run.params<RopeParams>(2), .rotateKeys = true};
    work.norms = {0, 1};
    work.query = {run.input(0, 0), run.output(2)};
    work.append = {run.input(1, 0), run.input(4, 1), run.params<CacheParams>(4).layer};
    return recordRopeCache(run, work, out);
}

}  // namespace

extern const VulkanOp norm_rope_append_op;
const VulkanOp norm_rope_append_op{kCodes, fits, record};

}  // namespace ingle::backend::vulkan
