// The ops that normalise parts of rows, see shaders/norm.comp.
#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::norm_ops {
namespace {

/// As the shader numbers them.
enum class NormFunction : uint32_t { Rms = 0, Mean = 1, L2 = 2 };

constexpr uint32_t kRowInvocations = 256;
constexpr uint32_t kMaxTurns = 8;  // in registers

/// Of whole rows, which stay in registers.
struct RowNorm {
    uint32_t invocations, turns;
};
/// None where shaders/norm.comp has to do.
std::optional<RowNorm> rowNorm(NormFunction function, uint32_t groups, uint32_t size) {
    if (function == NormFunction::L2 || groups != 1 || size % 4 != 0) return std::nullopt;
    const uint32_t eighths = (size + 63) / 64 * 8;
    const uint32_t invocations = std::clamp(std::bit_ceil(eighths), 32U, kRowInvocations);
    const RowNorm norm{invocations, groupsFor(eighths, invocations)};
    return norm.turns <= kMaxTurns ? std::optional(norm) : std::nullopt;
}

template <NormFunction function>
Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<NormParams>(0);
    const Op& op = run.op(0);
    const struct {
        uint32_t size;
        float eps;
    } push{run.width(run.output(0)) / params.groups, params.eps};
    BufferRange gain = out.unused();
    // As the shader numbers them: none, of one part, of a row.
    uint32_t gainLength = 0;
    if (!op.weights.empty()) {
        INGLE_TRY_ASSIGN(gain, out.vector(op, 0));
        gainLength = out.tensor(op, 0).shape.numElems() == run.width(run.output(0)) ? 2 : 1;
    }
    BufferRange bias = out.unused();
    const bool biased = op.weights.size() > 1;
    if (biased) {
        INGLE_TRY_ASSIGN(bias, out.vector(op, 1));
    }
    if (const auto row = rowNorm(function, params.groups, push.size)) {
        const auto formed = out.formedRows(run.output(0));
        return out.dispatch("norm_row",
                            {row->invocations, static_cast<uint32_t>(function), biased, gainLength > 0,
                             OpRecording::formNumber(formed), row->turns},
                            {reads(out.rows(run.input(0, 0))), reads(gain), reads(bias),
                             writes(out.rows(run.output(0))), writes(formed ? formed->range : out.unused())},
                            push, {1, out.numRows(run.output(0)), 1});
    }
    // A head is normalised by few invocations, a row by many.
    const uint32_t invocations = std::clamp(std::bit_ceil(push.size / 4 + 1), 32U, 256U);
    return out.dispatch(
        "norm", {invocations, static_cast<uint32_t>(function), biased, gainLength},
        {reads(out.rows(run.input(0, 0))), reads(gain), reads(bias), writes(out.rows(run.output(0)))}, push,
        {params.groups, out.numRows(run.output(0)), 1});
}

constexpr OpCode kRmsNorm[] = {OpCode::RmsNorm};
constexpr OpCode kLayerNorm[] = {OpCode::LayerNorm};
constexpr OpCode kGroupNorm[] = {OpCode::GroupNorm};
constexpr OpCode kL2Norm[] = {OpCode::L2Norm};

constexpr VulkanOp kOps[] = {
    {kRmsNorm, nullptr, record<NormFunction::Rms>},
    {kLayerNorm, nullptr, record<NormFunction::Mean>},
    {kGroupNorm, nullptr, record<NormFunction::Mean>},
    {kL2Norm, nullptr, record<NormFunction::L2>},
};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::norm_ops
