#include "engine/backend/split/plan_cut.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/backend/op_facts.h"

namespace ingle::backend::split {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// Calls `kv(index)` for the layer of keys and values, or `state(index)` for each state, that an op uses; the
/// index may be changed where `op` may be.
template <typename AnyOp, typename Kv, typename State>
void forMemoryOf(AnyOp& op, const Kv& kv, const State& state) {
    std::visit(
        [&](auto& params) {
            if constexpr (requires { params.layer; }) kv(params.layer);
            if constexpr (requires { params.state; }) state(params.state);
        },
        op.params);
}

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

/// Where an index of the whole lies in a part that has these.
uint32_t placeIn(const std::vector<uint32_t>& part, uint32_t index) {
    return static_cast<uint32_t>(std::ranges::lower_bound(part, index) - part.begin());
}

/// Writes one of the two plans.
class PartWriter {
  public:
    PartWriter(const Plan& whole, const MemoryCut::Part& memory)
        : m_whole(whole),
          m_memory(memory),
          m_values(whole.values.size(), kNone),
          m_weights(whole.weights.size(), kNone) {
        m_plan.maxTokens = whole.maxTokens;
        m_plan.maxLogitRows = whole.maxLogitRows;
        m_plan.fusion = whole.fusion;
    }

    bool has(ValueId value) const { return m_values[value] != kNone; }
    Operand operand(ValueId value) const { return {m_values[value], m_whole.values[value].width}; }

    /// An op that the whole plan does not have. Returns what it makes.
    Operand add(OpCode code, std::vector<Operand> inputs, uint32_t width, OpParams params,
                RowKind rows = RowKind::Token) {
        const Operand made{static_cast<ValueId>(m_plan.values.size()), width};
        m_plan.values.push_back({.name = fmt::format("cut.{}", opName(code)), .width = width, .rows = rows});
        m_plan.ops.push_back({.code = code,
                              .inputs = std::move(inputs),
                              .outputs = {made},
                              .weights = {},
                              .params = std::move(params)});
        return made;
    }
    /// `made` stands for a value of the whole plan.
    void know(ValueId value, const Operand& made) {
        m_values[value] = made.value;
        m_plan.values[made.value].name = m_whole.values[value].name;
    }

    void copy(const Op& from) {
        Op op = from;
        for (Operand& input : op.inputs) input = operand(input.value);
        for (Operand& output : op.outputs) {
            m_values[output.value] = static_cast<ValueId>(m_plan.values.size());
            m_plan.values.push_back(m_whole.values[output.value]);
            output = operand(output.value);
        }
        for (uint32_t& weight : op.weights) weight = weightOf(weight);
        forMemoryOf(
            op, [&](uint32_t& layer) { layer = placeIn(m_memory.kv, layer); },
            [&](uint32_t& state) { state = placeIn(m_memory.states, state); });
        m_plan.ops.push_back(std::move(op));
    }

    Plan finish(const Operand& output, OutputKind kind, std::optional<Operand> hidden) {
        m_plan.output = output;
        m_plan.outputKind = kind;
        m_plan.hidden = hidden;
        for (uint32_t at = 0; at < m_plan.ops.size(); ++at) {
            for (const Operand& made : m_plan.ops[at].outputs) {
                PlanValue& value = m_plan.values[made.value];
                value.firstOp = value.lastOp = at;
                value.numUses = 0;
            }
            for (const Operand& input : m_plan.ops[at].inputs) use(input, at);
        }
        use(output, static_cast<uint32_t>(m_plan.ops.size()));
        if (hidden) use(*hidden, static_cast<uint32_t>(m_plan.ops.size()));
        return std::move(m_plan);
    }

  private:
    uint32_t weightOf(uint32_t weight) {
        if (m_weights[weight] == kNone) {
            m_weights[weight] = static_cast<uint32_t>(m_plan.weights.size());
            m_plan.weights.push_back(m_whole.weights[weight]);
        }
        return m_weights[weight];
    }
    void use(const Operand& operand, uint32_t at) {
        PlanValue& value = m_plan.values[operand.value];
        value.lastOp = at;
        ++value.numUses;
    }

    const Plan& m_whole;
    const MemoryCut::Part& m_memory;
    Plan m_plan;
    std::vector<uint32_t> m_values;   // by ValueId of the whole plan
    std::vector<uint32_t> m_weights;  // by index of the whole plan
};

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

    PartWriter front(plan, memory.front), back(plan, memory.back);
    for (uint32_t at = 0; at < position; ++at) front.copy(plan.ops[at]);
    Operand given = front.operand(across[0]);
    for (size_t i = 1; i < across.size(); ++i) {
        const Operand next = front.operand(across[i]);
        given = front.add(OpCode::Concat, {given, next}, given.width + next.width, ConcatParams{});
    }
    const Operand selected = front.add(OpCode::SelectRows, {given}, given.width, {}, RowKind::Logit);

    const Operand taken = back.add(OpCode::InputRows, {}, given.width, InputRowsParams{given.width});
    uint32_t first = 0;
    for (const ValueId value : across) {
        const uint32_t width = plan.values[value].width;
        back.know(value, across.size() == 1
                             ? taken
                             : back.add(OpCode::Slice, {taken}, width, SliceParams{1, first, width}));
        first += width;
    }
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
