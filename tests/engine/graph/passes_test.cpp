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
    tensor::Tensor table{"table", {{8, 32}}, nullptr, {}};
    tensor::Tensor gain{"gain", {{8}}, nullptr, {}};
    tensor::Tensor square{"square", {{8, 8}}, nullptr, {}};
    tensor::Tensor wide{"wide", {{8, 16}}, nullptr, {}};
    tensor::Tensor narrow{"narrow", {{16, 8}}, nullptr, {}};
    tensor::Tensor head{"head", {{8, 32}}, nullptr, {}};
};

Graph oneLayer(const FakeWeights& w) {
    Builder b;
    Value h = b.embed(&w.table, "embed");
    const Value n = b.rmsNorm(h, &w.gain, 1e-5f, "norm");
    const Value q = b.linear(n, &w.square, &w.gain, "q");
    const Value k = b.linear(n, &w.square, "k");
    const Value v = b.linear(n, &w.square, &w.gain, "v");
    b.kvAppend(k, v, 0);
    h = b.add(h, b.attention(q, {0, 1, 1, 8, 1}, "attention"), "residual");
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
    EXPECT_EQ(graph.values[graph.logits].rows, backend::RowKind::Logit);
}

TEST(SelectLogitRows, aNetworkThatEndsInAMixingOpStillSelects) {
    const FakeWeights weights;
    Builder b;
    b.logits(b.tokenShift(b.embed(&weights.table, "embed"), 0, "shift"));
    Graph graph = b.take().value();
    selectLogitRows(graph);
    EXPECT_EQ(graph.nodes.back().code, OpCode::SelectRows);
    EXPECT_EQ(graph.nodes.back().outputs[0], graph.logits);
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
        EXPECT_EQ(parts[i].bias >= 0, i != 1);
        if (parts[i].bias >= 0) {
            EXPECT_EQ(graph.weights[qkv.weights[static_cast<size_t>(parts[i].bias)]].tensor, &weights.gain);
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

TEST(Lower, noOpOverwritesAValueThatIsStillRead) {
    const FakeWeights weights;
    for (const Fusion fusion : {Fusion::On, Fusion::Off}) {
        const backend::Plan plan =
            lower(oneLayer(weights), {.maxTokens = 4, .maxLogitRows = 1, .fusion = fusion});
        for (const backend::Op& op : plan.ops) {
            for (size_t i = 0; i < op.outputs.size(); ++i) {
                const uint32_t slot = op.outputs[i].slot;
                EXPECT_LE(op.outputs[i].width, plan.slots[slot].width);
                for (const backend::Operand& input : op.inputs) EXPECT_NE(slot, input.slot) << op.trace[0];
                for (size_t j = 0; j < i; ++j) EXPECT_NE(slot, op.outputs[j].slot) << op.trace[0];
            }
        }
        // Slots are reused: far fewer than values.
        EXPECT_LT(plan.slots.size(), plan.ops.size());
    }
}

/// Walks a plan and checks that each input slot still holds the value its producer put there.
TEST(Lower, slotsHoldTheRightValueAtEachRead) {
    const FakeWeights weights;
    Graph graph = oneLayer(weights);
    selectLogitRows(graph);
    stackSiblingLinears(graph);
    fuseGatedActivations(graph);
    const backend::Plan plan = lower(oneLayer(weights), {.maxTokens = 4, .maxLogitRows = 1});
    ASSERT_EQ(plan.ops.size(), graph.nodes.size());
    std::vector<ValueId> holder(plan.slots.size(), UINT32_MAX);
    for (size_t i = 0; i < plan.ops.size(); ++i) {
        for (size_t j = 0; j < plan.ops[i].inputs.size(); ++j) {
            EXPECT_EQ(holder[plan.ops[i].inputs[j].slot], graph.nodes[i].inputs[j])
                << plan.ops[i].trace.size();
        }
        for (size_t j = 0; j < plan.ops[i].outputs.size(); ++j) {
            holder[plan.ops[i].outputs[j].slot] = graph.nodes[i].outputs[j];
        }
    }
    EXPECT_EQ(holder[plan.logits.slot], graph.logits);
}

}  // namespace
}  // namespace ingle::graph
