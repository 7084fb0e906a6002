#include "engine/backend/vulkan/plan_values.h"

#include <algorithm>
#include <iterator>

namespace ingle::backend::vulkan {

PlanValues::PlanValues(const Plan& plan) {
    std::vector<ValueId> inSlot(plan.slots.size(), 0);
    for (const Op& op : plan.ops) {
        PlanNode node{.op = &op};
        for (const Operand& input : op.inputs) {
            node.inputs.push_back(inSlot[input.slot]);
            ++values[inSlot[input.slot]].numUses;
        }
        for (const Operand& output : op.outputs) {
            inSlot[output.slot] = static_cast<ValueId>(values.size());
            node.outputs.push_back(inSlot[output.slot]);
            values.push_back({output.width, plan.slots[output.slot].rows});
        }
        nodes.push_back(std::move(node));
    }
    logits = inSlot[plan.logits.slot];
    ++values[logits].numUses;
}

}  // namespace ingle::backend::vulkan
