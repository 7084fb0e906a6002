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

}  // namespace ingle::backend::vulkan
