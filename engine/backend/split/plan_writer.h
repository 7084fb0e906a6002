/// Writes a plan with ops of another one.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/backend/plan.h"
#include "engine/backend/split/plan_cut.h"

namespace ingle::backend::split {

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

/// Refers to the same weights as the whole plan.
class PlanWriter {
  public:
    /// Where ops have the memory that the whole has.
    explicit PlanWriter(const Plan& whole);
    /// … and where they have a part of it. Both must outlive the writer.
    PlanWriter(const Plan& whole, const MemoryCut::Part& memory);

    bool has(ValueId value) const;
    Operand operand(ValueId value) const { return {m_values[value], m_whole.values[value].width}; }
    uint32_t numOps() const { return static_cast<uint32_t>(m_plan.ops.size()); }

    /// An op that the whole plan does not have. Returns what it makes.
    Operand add(OpCode code, std::vector<Operand> inputs, uint32_t width, OpParams params,
                RowKind rows = RowKind::Token);
    /// These rows side by side.
    Operand addConcat(std::span<const Operand> values, RowKind rows = RowKind::Token);
    /// `made` stands for a value of the whole plan from now on.
    void know(ValueId value, const Operand& made);
    /// `rows` stand for these values of the whole plan, side by side.
    void knowColumns(std::span<const ValueId> values, const Operand& rows, RowKind kind = RowKind::Token);

    void copy(const Op& from);

    /// Ends the plan: nothing is written any more.
    Plan finish(const Operand& output, OutputKind kind, std::optional<Operand> hidden);

  private:
    uint32_t weightOf(uint32_t weight);
    void use(const Operand& operand, uint32_t at);

    const Plan& m_whole;
    const MemoryCut::Part* m_memory = nullptr;  // null: as in the whole
    Plan m_plan;
    std::vector<uint32_t> m_values;   // by ValueId of the whole plan
    std::vector<uint32_t> m_weights;  // by index of the whole plan
};

}  // namespace ingle::backend::split
