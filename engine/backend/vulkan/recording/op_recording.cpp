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

Result<BufferRange> OpRecording::rowsAs(ValueId value, RowForm form) {
    const uint32_t width = m_plan.values[value].width, rows = numRows(value);
    const BufferRange converted = m_buffers.rowForms.at(form).part(0, rowFormBytes(form, width, rows));
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

}  // namespace ingle::backend::vulkan
