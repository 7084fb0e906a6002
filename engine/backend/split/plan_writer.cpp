#include "engine/backend/split/plan_writer.h"

#include <algorithm>

#include "engine/backend/op_facts.h"

namespace ingle::backend::split {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// Where an index of the whole lies in a part that has these.
uint32_t placeIn(const std::vector<uint32_t>& part, uint32_t index) {
    return static_cast<uint32_t>(std::ranges::lower_bound(part, index) - part.begin());
}

}  // namespace

PlanWriter::PlanWriter(const Plan& whole)
    : m_whole(whole), m_values(whole.values.size(), kNone), m_weights(whole.weights.size(), kNone) {
    m_plan.maxTokens = whole.maxTokens;
    m_plan.maxLogitRows = whole.maxLogitRows;
    m_plan.fusion = whole.fusion;
}

PlanWriter::PlanWriter(const Plan& whole, const MemoryCut::Part& memory) : PlanWriter(whole) {
    m_memory = &memory;
}

bool PlanWriter::has(ValueId value) const {
    return m_values[value] != kNone;
}

Operand PlanWriter::add(OpCode code, std::vector<Operand> inputs, uint32_t width, OpParams params,
                        RowKind rows) {
    const Operand made{static_cast<ValueId>(m_plan.values.size()), width};
    m_plan.values.push_back({.name = fmt::format("cut.{}", opName(code)), .width = width, .rows = rows});
    m_plan.ops.push_back({.code = code,
                          .inputs = std::move(inputs),
                          .outputs = {made},
                          .weights = {},
                          .params = std::move(params)});
    return made;
}

Operand PlanWriter::addConcat(std::span<const Operand> values, RowKind rows) {
    Operand joined = values.front();
    for (const Operand& next : values.subspan(1))
        joined = add(OpCode::Concat, {joined, next}, joined.width + next.width, ConcatParams{}, rows);
    return joined;
}

void PlanWriter::know(ValueId value, const Operand& made) {
    m_values[value] = made.value;
    m_plan.values[made.value].name = m_whole.values[value].name;
}

void PlanWriter::knowColumns(std::span<const ValueId> values, const Operand& rows, RowKind kind) {
    if (values.size() == 1 && m_whole.values[values[0]].width == rows.width) return know(values[0], rows);
    uint32_t first = 0;
    for (const ValueId value : values) {
        const uint32_t width = m_whole.values[value].width;
        know(value, add(OpCode::Slice, {rows}, width, SliceParams{1, first, width}, kind));
        first += width;
    }
}

void PlanWriter::copy(const Op& from) {
    Op op = from;
    for (Operand& input : op.inputs) input = operand(input.value);
    for (Operand& output : op.outputs) {
        m_values[output.value] = static_cast<ValueId>(m_plan.values.size());
        m_plan.values.push_back(m_whole.values[output.value]);
        output = operand(output.value);
    }
    for (uint32_t& weight : op.weights) weight = weightOf(weight);
    if (m_memory) {
        forMemoryOf(
            op, [&](uint32_t& layer) { layer = placeIn(m_memory->kv, layer); },
            [&](uint32_t& state) { state = placeIn(m_memory->states, state); });
    }
    m_plan.ops.push_back(std::move(op));
}

Plan PlanWriter::finish(const Operand& output, OutputKind kind, std::optional<Operand> hidden) {
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
    use(output, numOps());
    if (hidden) use(*hidden, numOps());
    return std::move(m_plan);
}

uint32_t PlanWriter::weightOf(uint32_t weight) {
    if (m_weights[weight] == kNone) {
        m_weights[weight] = static_cast<uint32_t>(m_plan.weights.size());
        m_plan.weights.push_back(m_whole.weights[weight]);
    }
    return m_weights[weight];
}

void PlanWriter::use(const Operand& operand, uint32_t at) {
    PlanValue& value = m_plan.values[operand.value];
    value.lastOp = at;
    ++value.numUses;
}

}  // namespace ingle::backend::split
