/// The shape of rewritten graphs. That they give the plain graph's numbers is tested on every family
/// (tests/engine/session/families_test.cpp).
#include "engine/graph/passes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/graph/builder.h"
#include "engine/graph/lower.h"

namespace ingle::graph {
namespace {

using backend::OpCode;

/// Weights without data: passes look at shapes only.
struct FakeWeights {
    tensor::Tensor table{"table", tensor::Shape::of(8, 32), nullptr, {}};
    tensor::Tensor gain{"gain", tensor::Shape::of(8), nullptr, {}};
    tensor::Tensor square{"square", tensor::Shape::of(8, 8), nullptr, {}};
    tensor::Tensor wide{"wide", tensor::Shape::of(8, 16), nullptr, {}};
    tensor::Tensor narrow{"narrow", tensor::Shape::of(16, 8), nullptr, {}};
    tensor::Tensor head{"head", tensor::Shape::of(8, 32), nullptr, {}};
};

Graph oneLayer(const FakeWeights& w) {
    Builder b;
    Value h = b.embed(&w.table, "embed");
    const Value n = b.rmsNorm(h, &w.gain, 1e-5f, "norm");
    const Value q = b.linear(n, &w.square, &w.gain, "q");
    const Value k = b.linear(n, &w.square, "k");
    const Value v = b.linear(n, &w.square, &w.gain, "v");
    b.kvAppend(k, v, 0);
    h = b.add(h, b.attention(q, {0, 1, 1, 8, 8, 1}, "attention"), "residual");
    const Value gate = b.linear(h, &w.wide, "gate");
    const Value up = b.linear(h, &w.wide, "up");
    const Value gated = b.multiply(b.activation(gate, backend::ActivationKind::Silu, "silu"), up, "gated");
    h = b.add(h, b.linear(gated, &w.narrow, "down"), "ffn_residual");
    b.logits(b.linear(h, &w.head, "logits"));
    return b.take().value();
}

size_t count(const Graph& graph, OpCode code) {
    return static_cast<size_t>(std::ranges::count(graph.nodes, code, &Node::code));
}

const Node& find(const Graph& graph, OpCode code) {
    return *std::ranges::find(graph.nodes, code, &Node::code);
}

TEST(SelectLogitRows, everythingAfterTheLastAttentionRunsOnSelectedRows) {
    const FakeWeights weights;
    Graph graph = oneLayer(weights);
    selectLogitRows(graph);
    // The residual stream and the attention's result are selected; nothing earlier is.
    EXPECT_EQ(count(graph, OpCode::SelectRows), 2u);
    const auto attention = std::ranges::find(graph.nodes, OpCode::Attention, &Node::code);
    for (auto node = graph.nodes.begin(); node != graph.nodes.end(); ++node) {
        for (const ValueId output : node->outputs) {
            EXPECT_EQ(graph.values[output].rows == backend::RowKind::Logit, node > attention)
                << graph.values[output].name;
        }
    }
    EXPECT_EQ(graph.values[graph.output].rows, backend::RowKind::Logit);
}

TEST(SelectLogitRows, aNetworkThatEndsInAMixingOpStillSelects) {
    const FakeWeights weights;
    Builder b;
    b.logits(b.tokenShift(b.embed(&weights.table, "embed"), 0, "shift"));
    Graph graph = b.take().value();
    selectLogitRows(graph);
    EXPECT_EQ(graph.nodes.back().code, OpCode::SelectRows);
    EXPECT_EQ(graph.nodes.back().outputs[0], graph.output);
}

TEST(StackSiblingLinears, oneNodeForQkvAndOneForGateUp) {
    const FakeWeights weights;
    Graph graph = oneLayer(weights);
    ASSERT_EQ(count(graph, OpCode::Linear), 7u);
    stackSiblingLinears(graph);
    // q+k+v, gate+up, down, logits.
    EXPECT_EQ(count(graph, OpCode::Linear), 4u);
    const Node& qkv = find(graph, OpCode::Linear);
    const auto& parts = std::get<backend::LinearParams>(qkv.params).parts;
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(qkv.outputs.size(), 3u);
    // Biases still point at the right weights.
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(graph.weights[qkv.weights[parts[i].matrix]].tensor, &weights.square);
        EXPECT_EQ(parts[i].bias.has_value(), i != 1);
        if (parts[i].bias) {
            EXPECT_EQ(graph.weights[qkv.weights[*parts[i].bias]].tensor, &weights.gain);
        }
    }
}

TEST(FuseGatedActivations, theActivationDisappearsIntoTheProduct) {
    const FakeWeights weights;
    Graph graph = oneLayer(weights);
    fuseGatedActivations(graph);
    EXPECT_EQ(count(graph, OpCode::Activation), 0u);
    EXPECT_EQ(count(graph, OpCode::Multiply), 0u);
    const Node& gated = find(graph, OpCode::GatedActivation);
    EXPECT_EQ(graph.values[gated.inputs[0]].name, "gate");
    EXPECT_EQ(graph.values[gated.inputs[1]].name, "up");
}

TEST(FuseGatedActivations, anActivationWithAnotherReaderStays) {
    const FakeWeights weights;
    Builder b;
    const Value x = b.embed(&weights.table, "embed");
    const Value silu = b.activation(x, backend::ActivationKind::Silu, "silu");
    b.logits(b.add(b.multiply(silu, x, "product"), silu, "sum"));
    Graph graph = b.take().value();
    fuseGatedActivations(graph);
    EXPECT_EQ(count(graph, OpCode::Activation), 1u);
    EXPECT_EQ(count(graph, OpCode::Multiply), 1u);
}

/// Where values begin and end, counted anew.
TEST(Lower, aValueLivesFromItsOpToItsLastReader) {
    const FakeWeights weights;
    for (const Fusion fusion : {Fusion::On, Fusion::Off}) {
        const backend::Plan plan =
            lower(oneLayer(weights), {.maxTokens = 4, .maxLogitRows = 1, .fusion = fusion});
        EXPECT_EQ(plan.fusion, fusion);
        backend::ValueId next = 0;
        std::vector<uint32_t> lastOp, numUses;
        for (uint32_t at = 0; at < plan.ops.size(); ++at) {
            for (const backend::Operand& input : plan.ops[at].inputs) {
                ASSERT_LT(input.value, next) << "op " << at;
                EXPECT_EQ(input.width, plan.values[input.value].width);
                lastOp[input.value] = at;
                ++numUses[input.value];
            }
            for (const backend::Operand& output : plan.ops[at].outputs) {
                // Numbered as they are made: those that passes dropped have no number.
                ASSERT_EQ(output.value, next++);
                EXPECT_EQ(output.width, plan.values[output.value].width);
                EXPECT_EQ(plan.values[output.value].firstOp, at);
                lastOp.push_back(at);
                numUses.push_back(0);
            }
        }
        ASSERT_EQ(plan.values.size(), next);
        lastOp[plan.output.value] = static_cast<uint32_t>(plan.ops.size());
        ++numUses[plan.output.value];
        for (backend::ValueId value = 0; value < next; ++value) {
            EXPECT_EQ(plan.values[value].lastOp, lastOp[value]) << plan.values[value].name;
            EXPECT_EQ(plan.values[value].numUses, numUses[value]) << plan.values[value].name;
        }
        EXPECT_EQ(plan.values[plan.output.value].rows, backend::RowKind::Logit);
    }
}

/// The plan is the rewritten graph, op by op.
TEST(Lower, opsReadWhatTheGraphSays) {
    const FakeWeights weights;
    Graph graph = oneLayer(weights);
    selectLogitRows(graph);
    stackSiblingLinears(graph);
    fuseGatedActivations(graph);
    const backend::Plan plan = lower(oneLayer(weights), {.maxTokens = 4, .maxLogitRows = 1});
    ASSERT_EQ(plan.ops.size(), graph.nodes.size());
    const auto sameValues = [&](const std::vector<backend::Operand>& operands,
                                const std::vector<ValueId>& values) {
        return std::ranges::equal(
            operands, values, {}, [&](const auto& o) { return plan.values[o.value].name; },
            [&](ValueId value) { return graph.values[value].name; });
    };
    for (size_t i = 0; i < plan.ops.size(); ++i) {
        EXPECT_EQ(plan.ops[i].code, graph.nodes[i].code);
        EXPECT_TRUE(sameValues(plan.ops[i].inputs, graph.nodes[i].inputs)) << i;
        EXPECT_TRUE(sameValues(plan.ops[i].outputs, graph.nodes[i].outputs)) << i;
    }
    EXPECT_EQ(plan.values[plan.output.value].name, graph.values[graph.output].name);
}

}  // namespace
}  // namespace ingle::graph
