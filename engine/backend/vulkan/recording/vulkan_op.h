/// How the device computes an op, or a run of ops in one go. One file for those that share their dispatches:
/// engine/backend/vulkan/ops/<name>.cpp defines `extern const VulkanOpList ops` in the namespace
/// `<name>_ops`.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "engine/backend/vulkan/recording/op_recording.h"

namespace ingle::backend::vulkan {

/// Ops of a plan that are computed in one go, in the order of VulkanOp::codes.
class OpRun {
  public:
    /// `ops`: indices into plan.ops.
    OpRun(const Plan& plan, std::vector<uint32_t> ops) : m_plan(plan), m_ops(std::move(ops)) {}

    size_t size() const { return m_ops.size(); }
    std::span<const uint32_t> ops() const { return m_ops; }
    const Op& op(size_t i) const { return m_plan.ops[m_ops[i]]; }
    template <typename Params>
    const Params& params(size_t i) const {
        return std::get<Params>(op(i).params);
    }
    std::span<const Operand> inputs(size_t i) const { return op(i).inputs; }
    std::span<const Operand> outputs(size_t i) const { return op(i).outputs; }
    ValueId input(size_t i, size_t index) const { return inputs(i)[index].value; }
    ValueId output(size_t i, size_t index = 0) const { return outputs(i)[index].value; }
    uint32_t width(ValueId value) const { return m_plan.values[value].width; }
    RowKind rows(ValueId value) const { return m_plan.values[value].rows; }
    /// True when one op reads the value, once: if that one is in the run, nobody misses it.
    bool usedOnce(ValueId value) const { return m_plan.values[value].numUses == 1; }
    /// Whether op i has the value among its inputs.
    bool reads(size_t i, ValueId value) const {
        return std::ranges::find(inputs(i), value, &Operand::value) != inputs(i).end();
    }
    /// What op i of two inputs reads beside `value`.
    ValueId otherInput(size_t i, ValueId value) const {
        return input(i, 0) == value ? input(i, 1) : input(i, 0);
    }

  private:
    const Plan& m_plan;
    std::vector<uint32_t> m_ops;
};

struct VulkanOp {
    std::span<const OpCode> codes;  ///< of the run it computes; the longest that fits wins
    /// What must hold beside the codes: which op reads which, and above all that values it does not store are
    /// read within the run only. Null: nothing.
    bool (*fits)(const OpRun& run, const Plan& plan);
    /// Records its dispatches. Errors: Unsupported (sizes), OutOfMemory, Device.
    Status (*record)(const OpRun& run, OpRecording& out);
};

using VulkanOpList = std::span<const VulkanOp>;

std::span<const VulkanOpList* const> allVulkanOps();

}  // namespace ingle::backend::vulkan
