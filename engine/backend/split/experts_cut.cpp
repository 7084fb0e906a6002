#include "engine/backend/split/experts_cut.h"

#include <algorithm>
#include <map>

#include "engine/backend/op_facts.h"
#include "engine/backend/split/plan_writer.h"

namespace ingle::backend::split {
namespace {

bool has(const std::vector<ValueId>& values, ValueId value) {
    return std::ranges::find(values, value) != values.end();
}

void addOnce(std::vector<ValueId>& values, ValueId value) {
    if (!has(values, value)) values.push_back(value);
}

bool hasMatrices(const Op& op, const Plan& plan) {
    return std::ranges::any_of(
        op.weights, [&](uint32_t weight) { return plan.weights[weight].use == WeightUse::Matrix; });
}

/// Grows from the products of a layer's experts.
class MixtureSearch {
  public:
    MixtureSearch(const Plan& plan, std::span<const uint32_t> products)
        : m_plan(plan), m_isPart(plan.ops.size()), m_makesPart(plan.values.size()) {
        addBetween(products);
        collectInputs();
        addBehind(products.front());
        for (uint32_t at = 0; at < plan.ops.size(); ++at)
            if (m_isPart[at]) m_mixture.ops.push_back(at);
        collectOutputs();
    }

    /// Whether all of it can be computed where its last op is, of rows of one kind.
    bool isPossible() const {
        const auto kind = m_plan.values[m_mixture.inputs.front()].rows;
        const auto isOfKind = [&](ValueId value) { return m_plan.values[value].rows == kind; };
        return m_isReadBehind && !m_mixture.outputs.empty() &&
               std::ranges::all_of(m_mixture.inputs, isOfKind) &&
               std::ranges::all_of(m_mixture.outputs, isOfKind);
    }
    Mixture take() { return std::move(m_mixture); }

  private:
    bool isMadeInside(const Operand& operand) const { return m_makesPart[operand.value]; }
    void add(uint32_t at) {
        m_isPart[at] = true;
        for (const Operand& made : m_plan.ops[at].outputs) m_makesPart[made.value] = true;
    }

    /// The products, and ops that read some of them and lead to others.
    void addBetween(std::span<const uint32_t> products) {
        const uint32_t first = products.front(), last = products.back();
        std::vector<bool> leadsThere(m_plan.ops.size()), comesFromThere(m_plan.values.size());
        std::vector<bool> isWanted(m_plan.values.size());
        const auto isProduct = [&](uint32_t at) { return std::ranges::find(products, at) != products.end(); };
        for (uint32_t at = last + 1; at-- > first;) {
            const Op& op = m_plan.ops[at];
            leadsThere[at] = isProduct(at) || std::ranges::any_of(op.outputs, [&](const Operand& made) {
                                 return isWanted[made.value];
                             });
            if (!leadsThere[at]) continue;
            for (const Operand& input : op.inputs) isWanted[input.value] = true;
        }
        for (uint32_t at = first; at <= last; ++at) {
            const Op& op = m_plan.ops[at];
            const bool reads = std::ranges::any_of(
                op.inputs, [&](const Operand& input) { return comesFromThere[input.value]; });
            if (!reads && !isProduct(at)) continue;
            for (const Operand& made : op.outputs) comesFromThere[made.value] = true;
            if (leadsThere[at]) add(at);
        }
    }

    /// Ops behind them, as long as these read nothing else and no matrix: they make less of it.
    void addBehind(uint32_t first) {
        for (uint32_t at = first; at < m_plan.ops.size(); ++at) {
            const Op& op = m_plan.ops[at];
            if (m_isPart[at] || factsOf(op.code).scope != RowScope::Own || hasMatrices(op, m_plan)) continue;
            const bool reads =
                std::ranges::any_of(op.inputs, [&](const Operand& input) { return isMadeInside(input); });
            const bool readsOthers = std::ranges::any_of(op.inputs, [&](const Operand& input) {
                return !isMadeInside(input) && !has(m_mixture.inputs, input.value);
            });
            if (reads && !readsOthers) add(at);
        }
    }

    void collectInputs() {
        for (uint32_t at = 0; at < m_plan.ops.size(); ++at) {
            if (!m_isPart[at]) continue;
            for (const Operand& input : m_plan.ops[at].inputs)
                if (!isMadeInside(input)) addOnce(m_mixture.inputs, input.value);
        }
    }

    void collectOutputs() {
        for (uint32_t at = 0; at < m_plan.ops.size(); ++at) {
            if (m_isPart[at]) continue;
            for (const Operand& input : m_plan.ops[at].inputs) {
                if (!isMadeInside(input)) continue;
                addOnce(m_mixture.outputs, input.value);
                m_isReadBehind = m_isReadBehind && at > m_mixture.ops.back();
            }
        }
        for (const auto& given : {std::optional(m_plan.output), m_plan.hidden})
            if (given && isMadeInside(*given)) addOnce(m_mixture.outputs, given->value);
    }

    const Plan& m_plan;
    std::vector<bool> m_isPart;     // by index of the plan's ops
    std::vector<bool> m_makesPart;  // by ValueId
    Mixture m_mixture;
    bool m_isReadBehind = true;
};

uint32_t widthOf(std::span<const ValueId> values, const Plan& plan) {
    uint32_t width = 0;
    for (const ValueId value : values) width += plan.values[value].width;
    return width;
}

std::vector<Operand> operandsOf(std::span<const ValueId> values, const PlanWriter& writer) {
    std::vector<Operand> operands;
    for (const ValueId value : values) operands.push_back(writer.operand(value));
    return operands;
}

Plan restOf(const Plan& plan, std::span<const Mixture> mixtures) {
    PlanWriter rest(plan);
    std::vector<bool> isCutOut(plan.ops.size());
    std::map<uint32_t, uint32_t> partAt;
    for (uint32_t part = 0; part < mixtures.size(); ++part) {
        for (const uint32_t at : mixtures[part].ops) isCutOut[at] = true;
        partAt[mixtures[part].ops.back()] = part;
    }
    for (uint32_t at = 0; at < plan.ops.size(); ++at) {
        if (!isCutOut[at]) rest.copy(plan.ops[at]);
        const auto found = partAt.find(at);
        if (found == partAt.end()) continue;
        const Mixture& mixture = mixtures[found->second];
        const RowKind kind = plan.values[mixture.inputs.front()].rows;
        const uint32_t width = widthOf(mixture.outputs, plan);
        const Operand given = rest.add(OpCode::Elsewhere, operandsOf(mixture.inputs, rest), width,
                                       ElsewhereParams{found->second, width}, kind);
        rest.knowColumns(mixture.outputs, given, kind);
    }
    std::optional<Operand> hidden;
    if (plan.hidden) hidden = rest.operand(plan.hidden->value);
    return rest.finish(rest.operand(plan.output.value), plan.outputKind, hidden);
}

Plan expertsOf(const Plan& plan, std::span<const Mixture> mixtures) {
    if (mixtures.empty()) return {};
    PlanWriter writer(plan);
    uint32_t width = 0;
    for (const Mixture& mixture : mixtures) width = std::max(width, widthOf(mixture.inputs, plan));
    std::vector<PlanPart> parts;
    for (const Mixture& mixture : mixtures) {
        const Operand rows = writer.add(OpCode::InputRows, {}, width, InputRowsParams{width});
        writer.knowColumns(mixture.inputs, rows);
        for (const uint32_t at : mixture.ops) writer.copy(plan.ops[at]);
        const Operand output = writer.addConcat(operandsOf(mixture.outputs, writer));
        parts.push_back({writer.numOps(), output});
    }
    Plan experts = writer.finish(parts.back().output, OutputKind::Rows, std::nullopt);
    for (PlanValue& value : experts.values) value.rows = RowKind::Token;
    for (const PlanPart& part : parts) experts.values[part.output.value].lastOp = part.endOp - 1;
    experts.parts = std::move(parts);
    experts.maxLogitRows = 0;
    return experts;
}

}  // namespace

std::vector<Mixture> mixturesOf(const Plan& plan) {
    std::map<uint32_t, std::vector<uint32_t>> products;  // by the op that routes
    for (uint32_t at = 0; at < plan.ops.size(); ++at)
        if (plan.ops[at].code == OpCode::ExpertLinear)
            products[plan.values[plan.ops[at].inputs[1].value].firstOp].push_back(at);
    std::vector<Mixture> mixtures;
    for (const auto& [router, ops] : products) {
        MixtureSearch search(plan, ops);
        if (search.isPossible()) mixtures.push_back(search.take());
    }
    return mixtures;
}

ExpertsCut cutExperts(const Plan& plan, std::span<const Mixture> mixtures) {
    return {restOf(plan, mixtures), expertsOf(plan, mixtures)};
}

}  // namespace ingle::backend::split
