#include "engine/backend/vulkan/recording/op_recording.h"

namespace ingle::backend::vulkan {

Status OpRecording::dispatch(PipelineSpec spec, std::vector<Binding> bindings, PushConstants push,
                             std::array<uint32_t, 3> groups) {
    for (const Binding& binding : bindings) {
        if (m_weights.owns(binding.range)) m_weightBytes += binding.range.bytes;
    }
    if (const auto* noted = std::get_if<std::vector<PipelineSpec>*>(&m_target)) {
        (*noted)->push_back(std::move(spec));
        return {};
    }
    INGLE_TRY_ASSIGN(const Pipeline* pipeline, m_memory.context().pipelines.compile(spec));
    return std::get<Recorder*>(m_target)->dispatch({pipeline, std::move(bindings), push, groups});
}

Status OpRecording::copy(const BufferRange& from, const BufferRange& to) {
    if (const auto* recorder = std::get_if<Recorder*>(&m_target)) return (*recorder)->copy(from, to);
    return {};
}

BufferRange OpRecording::formRange(ValueId value, RowForm form) const {
    const uint64_t bytes = rowFormBytes(form, m_plan.values[value].width, numRows(value));
    return m_buffers.rowForms.at(form).part(0, bytes);
}

std::optional<RowForm> OpRecording::formReadBy(const Op& linear, uint32_t numRows) const {
    const tensor::Tensor& matrix = tensor(linear, std::get<LinearParams>(linear.params).parts.front().matrix);
    const WeightFormat& format = weightFormatOf(matrix);
    const auto k = static_cast<uint32_t>(matrix.shape.rowElems());
    if (numRows <= kMaxMatvecRows) {
        const auto shape = matvecShapes().find(format, k, numRows);
        if (shape && shape->input == MatvecInput::Bytes) return RowForm::Bytes;
        if (shape) return std::nullopt;
    }
    const MatmulSize size{static_cast<uint32_t>(matrix.shape.numRows()), k, numRows};
    if (!matmulKernels().find(format, size, kPlainEpilogue, 0).readsHalves) return std::nullopt;
    return RowForm::Halves;
}

std::optional<OpRecording::FormedRows> OpRecording::formedRows(ValueId value) {
    const PlanValue& known = m_plan.values[value];
    const uint32_t end = std::min(known.lastOp + 1, static_cast<uint32_t>(m_plan.ops.size()));
    for (uint32_t i = known.firstOp + 1; i < end; ++i) {
        const Op& op = m_plan.ops[i];
        if (op.code != OpCode::Linear || op.inputs[0].value != value) continue;
        const auto form = formReadBy(op, numRows(value));
        if (!form) continue;  // such as a router, in floats
        m_forms.hold(*form, value);
        return FormedRows{*form, formRange(value, *form)};
    }
    return std::nullopt;
}

Result<BufferRange> OpRecording::rowsAs(ValueId value, RowForm form) {
    const uint32_t width = m_plan.values[value].width, rows = numRows(value);
    const BufferRange converted = formRange(value, form);
    if (!m_forms.hold(form, value)) return converted;
    const struct { uint32_t width; } push{width};
    // Each invocation takes eight values, of rows that are filled up.
    const bool halves = form == RowForm::Halves;
    const uint32_t filled = halves ? (width + 63) / 64 * 64 : (width + 31) / 32 * 32;
    INGLE_TRY(dispatch(halves ? "convert_rows" : "convert_bytes", {kElementGroup},
                       {reads(this->rows(value)), writes(converted)}, push,
                       {groupsFor(filled / 8, kElementGroup), rows, 1}));
    return converted;
}

Result<BufferRange> OpRecording::expertPlan(ValueId routing, uint32_t numExperts, uint32_t tile,
                                            uint32_t maxTiles) {
    constexpr uint32_t kInvocations = 256;
    const struct {
        uint32_t numExperts, numUsed, numTokens, maxTiles;
    } push{numExperts, m_plan.values[routing].width / 2, numRows(routing), maxTiles};
    const BufferRange plan =
        m_buffers.expertPlan.part(0, expertPlanBytes(push.numTokens * push.numUsed, maxTiles));
    if (!m_forms.holdPlan(routing, tile)) return plan;
    INGLE_TRY(
        dispatch("expert_plan", {kInvocations, tile}, {reads(rows(routing)), writes(plan)}, push, {1, 1, 1}));
    return plan;
}

}  // namespace ingle::backend::vulkan
