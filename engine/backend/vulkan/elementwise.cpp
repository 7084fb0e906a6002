#include "engine/backend/vulkan/elementwise.h"

namespace ingle::backend::vulkan {

Status recordElementwise(const OpRun& run, ElementFunction function, OpRecording& out,
                         ActivationKind activation, float factor) {
    const struct {
        uint32_t count;
        float factor;
    } push{out.numRows(run.output(0)) * paddedWidth(run.width(run.output(0))) / 4, factor};
    const BufferRange& b = run.inputs(0).size() > 1 ? out.rows(run.input(0, 1)) : out.unused();
    return out.dispatch("elementwise",
                        {kElementGroup, static_cast<uint32_t>(function), static_cast<uint32_t>(activation)},
                        {reads(out.rows(run.input(0, 0))), reads(b), writes(out.rows(run.output(0)))}, push,
                        {groupsFor(push.count, kElementGroup), 1, 1});
}

}  // namespace ingle::backend::vulkan
