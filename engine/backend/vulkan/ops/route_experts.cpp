#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::route_experts_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::RouteExperts};

constexpr uint32_t kMaxExperts = 1024;  // as in shaders/route_experts.comp

Result<BufferRange> vectorOf(const OpRun& run, OpRecording& out, std::optional<uint32_t> index) {
    if (!index) return out.unused();
    return out.vector(run.op(0), *index);
}

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<RouteParams>(0);
    const kernels::RouteRule& rule = params.rule;
    const uint32_t numExperts = run.width(run.input(0, 0));
    if (numExperts > kMaxExperts)
        return fail(ErrorCode::Unsupported, "{} experts are more than the {} that the device chooses from",
                    numExperts, kMaxExperts);
    INGLE_TRY_ASSIGN(const BufferRange bias, vectorOf(run, out, params.choiceBias));
    INGLE_TRY_ASSIGN(const BufferRange expertScale, vectorOf(run, out, params.expertScale));
    const struct {
        uint32_t numExperts, numUsed, groups, groupsUsed;
        float scale;
    } push{numExperts, rule.numUsed, rule.groups, rule.groupsUsed, rule.scale};
    return out.dispatch(
        "route_experts",
        {kElementGroup, static_cast<uint32_t>(rule.scores), rule.renormalise, params.choiceBias.has_value(),
         params.expertScale.has_value()},
        {reads(out.rows(run.input(0, 0))), reads(bias), reads(expertScale), writes(out.rows(run.output(0)))},
        push, {out.numRows(run.output(0)), 1, 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::route_experts_ops
