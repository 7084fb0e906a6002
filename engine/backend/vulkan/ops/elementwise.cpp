// The ops that compute each value from those at the same place, see shaders/elementwise.comp.
#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::elementwise_ops {
namespace {

/// As the shader numbers them.
enum class ElementFunction : uint32_t { Add = 0, Multiply = 1, Scale = 2, Activate = 3, Gate = 4 };

Status recordElementwise(const OpRun& run, OpRecording& out, ElementFunction function,
                         uint32_t activation = 0, float factor = 1) {
    const struct {
        uint32_t count;
        float factor;
    } push{out.numRows(run.output(0)) * paddedWidth(run.width(run.output(0))) / 4, factor};
    const BufferRange& b = run.inputs(0).size() > 1 ? out.rows(run.input(0, 1)) : out.unused();
    return out.dispatch("elementwise", {kElementGroup, static_cast<uint32_t>(function), activation},
                        {reads(out.rows(run.input(0, 0))), reads(b), writes(out.rows(run.output(0)))}, push,
                        {groupsFor(push.count, kElementGroup), 1, 1});
}

template <ElementFunction function>
Status record(const OpRun& run, OpRecording& out) {
    return recordElementwise(run, out, function);
}

template <ElementFunction function>
Status recordActivation(const OpRun& run, OpRecording& out) {
    return recordElementwise(run, out, function, static_cast<uint32_t>(run.params<ActivationParams>(0).kind));
}

Status recordScale(const OpRun& run, OpRecording& out) {
    return recordElementwise(run, out, ElementFunction::Scale, 0, run.params<ScaleParams>(0).factor);
}

constexpr OpCode kAdd[] = {OpCode::Add};
constexpr OpCode kMultiply[] = {OpCode::Multiply};
constexpr OpCode kScale[] = {OpCode::Scale};
constexpr OpCode kActivation[] = {OpCode::Activation};
constexpr OpCode kGatedActivation[] = {OpCode::GatedActivation};

constexpr VulkanOp kOps[] = {
    {kAdd, nullptr, record<ElementFunction::Add>},
    {kMultiply, nullptr, record<ElementFunction::Multiply>},
    {kScale, nullptr, recordScale},
    {kActivation, nullptr, recordActivation<ElementFunction::Activate>},
    {kGatedActivation, nullptr, recordActivation<ElementFunction::Gate>},
};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::elementwise_ops
