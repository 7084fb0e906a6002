#include "engine/backend/split/plan_cut.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/backend/split/plan_writer.h"

namespace ingle::backend::split {
namespace {

/// States that an op uses, from its first one on.
uint32_t numStatesOf(const Op& op) {
    return op.code == OpCode::Wkv4 ? 3 : 1;
}

Result<uint32_t> cutPosition(const Plan& plan, uint32_t layers) {
    if (layers > 0 && layers < plan.layerEnds.size()) return plan.layerEnds[layers - 1];
    return fail(ErrorCode::Unsupported, "{} layers cannot be split behind layer {}", plan.layerEnds.size(),
                layers);
}

/// Which side uses what; everything belongs to the front until an op behind the cut uses it.
struct Uses {
    std::vector<bool> front, back;

    explicit Uses(size_t count) : front(count), back(count) {}
    void add(uint32_t index, bool behind) { (behind ? back : front)[index] = true; }
    bool areApart() const {
        for (size_t i = 0; i < front.size(); ++i)
            if (front[i] && back[i]) return false;
        return true;
    }
};

/// A part that has windows only, where the whole sees further, would give pages back too early.
void keepAsLongAs(const MemorySpec& whole, MemorySpec& part) {
    if (!part.kv.empty() && part.window() != whole.window()) part.kv[0].window = whole.window();
}

/// What ops from `position` on read of those before.
std::vector<ValueId> valuesAcross(const Plan& plan, uint32_t position) {
    std::vector<ValueId> across;
    for (ValueId id = 0; id < plan.values.size(); ++id)
        if (plan.values[id].firstOp < position && plan.values[id].lastOp >= position) across.push_back(id);
    return across;
}

}  // namespace

Result<MemoryCut> cutMemory(const Plan& plan, const MemorySpec& memory, uint32_t layers) {
    INGLE_TRY_ASSIGN(const uint32_t position, cutPosition(plan, layers));
    Uses kv(memory.kv.size()), states(memory.states.size());
    for (uint32_t at = 0; at < plan.ops.size(); ++at) {
        const Op& op = plan.ops[at];
        const bool behind = at >= position;
        forMemoryOf(
            op, [&](uint32_t layer) { kv.add(layer, behind); },
            [&](uint32_t state) {
                for (uint32_t i = 0; i < numStatesOf(op); ++i) states.add(state + i, behind);
            });
    }
    if (!kv.areApart() || !states.areApart())
        return fail(ErrorCode::Unsupported, "layers behind layer {} read what those before it keep", layers);
    MemoryCut cut;
    for (uint32_t i = 0; i < memory.kv.size(); ++i) {
        MemoryCut::Part& part = kv.back[i] ? cut.back : cut.front;
        part.kv.push_back(i);
        part.spec.kv.push_back(memory.kv[i]);
    }
    for (uint32_t i = 0; i < memory.states.size(); ++i) {
        MemoryCut::Part& part = states.back[i] ? cut.back : cut.front;
        part.states.push_back(i);
        part.spec.states.push_back(memory.states[i]);
    }
    keepAsLongAs(memory, cut.front.spec);
    keepAsLongAs(memory, cut.back.spec);
    return cut;
}

Result<PlanCut> cutPlan(const Plan& plan, const MemoryCut& memory, uint32_t layers) {
    INGLE_TRY_ASSIGN(const uint32_t position, cutPosition(plan, layers));
    const std::vector<ValueId> across = valuesAcross(plan, position);
    const auto isOfTokens = [&](ValueId id) { return plan.values[id].rows == RowKind::Token; };
    const bool readsPictures = std::any_of(plan.ops.begin() + position, plan.ops.end(), [](const Op& op) {
        return op.code == OpCode::PictureRows || op.code == OpCode::InputRows;
    });
    if (across.empty() || !std::ranges::all_of(across, isOfTokens) || readsPictures)
        return fail(ErrorCode::Unsupported, "a plan of {} layers cannot be split behind layer {}",
                    plan.layerEnds.size(), layers);

    PlanWriter front(plan, memory.front), back(plan, memory.back);
    for (uint32_t at = 0; at < position; ++at) front.copy(plan.ops[at]);
    std::vector<Operand> sent;
    for (const ValueId value : across) sent.push_back(front.operand(value));
    const Operand given = front.addConcat(sent);
    const Operand selected = front.add(OpCode::SelectRows, {given}, given.width, {}, RowKind::Logit);

    const Operand taken = back.add(OpCode::InputRows, {}, given.width, InputRowsParams{given.width});
    back.knowColumns(across, taken);
    for (uint32_t at = position; at < plan.ops.size(); ++at) back.copy(plan.ops[at]);

    PlanCut cut;
    std::optional<Operand> hidden;
    if (plan.hidden) hidden = back.operand(plan.hidden->value);
    cut.front = front.finish(selected, OutputKind::Rows, std::nullopt);
    cut.front.maxLogitRows = plan.maxTokens;
    cut.back = back.finish(back.operand(plan.output.value), plan.outputKind, hidden);
    return cut;
}

uint64_t weightBytes(const Plan& plan) {
    std::set<const tensor::Tensor*> counted;
    uint64_t bytes = 0;
    for (const PlanWeight& weight : plan.weights)
        if (counted.insert(weight.tensor).second) bytes += weight.tensor->bytes();
    return bytes;
}

}  // namespace ingle::backend::split
