/// What does not fit together is a sentence, for each op: it names the op, the value or weight and the
/// widths.
#include "engine/graph/builder.h"

#include <gmock/gmock.h>

#include <cmath>
#include <deque>
#include <set>

#include "engine/models/family.h"

namespace ingle::graph {
namespace {

using backend::OpCode;
using tensor::Shape;
using testing::HasSubstr;

/// A graph under construction, and weights without data: only shapes are looked at.
struct Draft {
    const tensor::Tensor* weight(std::string name, Shape shape) {
        return &m_weights.emplace_back(tensor::Tensor{std::move(name), shape, nullptr, {}});
    }
    const tensor::Tensor* vector(uint64_t elems) { return weight("g", Shape::of(elems)); }
    Value rows(uint32_t width, std::string_view name) {
        return b.embed(weight("table", Shape::of(width, 32)), name);
    }

    Builder b;

  private:
    std::deque<tensor::Tensor> m_weights;
};

struct Misfit {
    std::string op;
    void (*call)(Draft& d);
    std::vector<std::string> named;  ///< what the sentence has to say beside the op
};

const backend::RopeParams kRope{2, 8, {1.0, 0.5}, 1, backend::RopeStyle::HalfSplit};
const backend::WkvParams kHeads{0, 2, 8};
const backend::GatedDeltaParams kDelta{0, 2, 4, 8, 8};

/// Four heads of four, which are right but for what `params` says.
void attend(Draft& d, backend::AttentionParams params, const tensor::Tensor* sinks = nullptr) {
    params.numHeads = 4;
    params.numKvHeads = 2;
    params.keyDim = params.valueDim = 4;
    d.b.attention(d.rows(16, "x"), params, "y", sinks);
}

/// In each call one thing is wrong.
const Misfit kMisfits[] = {
    {"embed", [](Draft& d) { d.b.embed(d.weight("t", Shape::of(8, 32, 2)), "y"); }, {"\"t\"", "{8, 32, 2}"}},
    {"rms_norm",
     [](Draft& d) { d.b.rmsNorm(d.rows(16, "x"), d.vector(15), 1, "y"); },
     {"\"g\"", "{15}", "16"}},
    {"rms_norm",
     [](Draft& d) { d.b.rmsNorm(d.rows(16, "x"), d.vector(5), 1, "y", 3); },
     {"\"x\" is 16 wide", "3 equal parts"}},
    {"layer_norm",
     [](Draft& d) { d.b.layerNorm(d.rows(16, "x"), d.vector(16), d.vector(8), 1, "y"); },
     {"\"g\"", "{8}", "16"}},
    {"layer_norm",
     [](Draft& d) { d.b.layerNorm(d.rows(16, "x"), d.vector(16), nullptr, 1, "y"); },
     {"weight 2 of 2 is missing"}},
    {"group_norm",
     [](Draft& d) { d.b.groupNorm(d.rows(16, "x"), d.vector(4), nullptr, 4, 1, "y"); },
     {"\"g\"", "{4}", "16"}},
    {"l2_norm", [](Draft& d) { d.b.l2Norm(d.rows(16, "x"), d.vector(16), 5, 1, "y"); }, {"\"x\" is 16 wide"}},
    {"linear",
     [](Draft& d) { d.b.linear(d.rows(16, "x"), d.weight("w", Shape::of(17, 4)), "y"); },
     {"\"w\"", "{17, 4}", "\"x\" is 16 wide"}},
    {"linear",
     [](Draft& d) { d.b.linear(d.rows(16, "x"), d.weight("w", Shape::of(16, 4)), d.vector(5), "y"); },
     {"\"g\"", "{5}", "4 numbers"}},
    {"linear", [](Draft& d) { d.b.linear(d.rows(16, "x"), nullptr, "y"); }, {"weight 1 of 1 is missing"}},
    {"route_experts",
     [](Draft& d) { d.b.routeExperts(d.rows(4, "x"), {.numUsed = 5}, "y"); },
     {"\"x\" is 4 wide", "5 experts"}},
    {"route_experts",
     [](Draft& d) { d.b.routeExperts(d.rows(8, "x"), {.numUsed = 2, .groups = 3}, "y"); },
     {"\"x\" is 8 wide", "3 groups"}},
    {"route_experts",
     [](Draft& d) { d.b.routeExperts(d.rows(8, "x"), {.numUsed = 3, .groups = 4, .groupsUsed = 1}, "y"); },
     {"2 are open", "3 experts"}},
    {"route_experts",
     [](Draft& d) { d.b.routeExperts(d.rows(8, "x"), {.numUsed = 2}, d.vector(7), nullptr, "y"); },
     {"\"g\"", "{7}", "8 numbers"}},
    {"expert_linear",
     [](Draft& d) {
         const Value x = d.rows(16, "x");
         d.b.expertLinear(x, d.rows(12, "r"), d.weight("w", Shape::of(16, 8, 5)), "y");
     },
     {"\"r\" names 6 experts of 5"}},
    {"expert_linear",
     [](Draft& d) {
         const Value x = d.rows(48, "x");
         d.b.expertLinear(x, d.rows(4, "r"), d.weight("w", Shape::of(16, 8, 4)), "y");
     },
     {"\"w\"", "{16, 8, 4}", "\"x\" is 48 wide"}},
    {"expert_linear",
     [](Draft& d) {
         const Value x = d.rows(16, "x");
         d.b.expertLinear(x, d.rows(4, "r"), d.weight("w", Shape::of(16, 8, 5)), d.vector(8), "y");
     },
     {"\"g\"", "{8}", "40 numbers"}},
    {"expert_linear",
     [](Draft& d) {
         const Value x = d.rows(16, "x");
         d.b.expertLinear(x, d.rows(3, "r"), d.weight("w", Shape::of(16, 8, 5)), "y");
     },
     {"\"r\" is 3 wide", "no ids and shares"}},
    {"expert_sum",
     [](Draft& d) {
         const Value x = d.rows(17, "x");
         d.b.expertSum(x, d.rows(4, "r"), "y");
     },
     {"\"x\" is 17 wide", "2 equal parts"}},
    {"rope", [](Draft& d) { d.b.rope(d.rows(24, "x"), kRope, "y"); }, {"\"x\" is 24 wide", "2 heads of 8"}},
    {"rope",
     [](Draft& d) {
         d.b.rope(d.rows(16, "x"), {8, 2, {1.0, 0.5}, 1, backend::RopeStyle::HalfSplit}, "y");
     },
     {"\"x\" has heads of 2", "2 pairs"}},
    {"rope",
     [](Draft& d) {
         backend::RopeParams params = kRope;
         params.axes = {1};
         d.b.rope(d.rows(16, "x"), params, "y");
     },
     {"2 pairs have 1 axes"}},
    {"rope",
     [](Draft& d) {
         backend::RopeParams params = kRope;
         params.axes = {1, 4};
         d.b.rope(d.rows(16, "x"), params, "y");
     },
     {"an axis that positions do not have"}},
    {"picture_rows",
     [](Draft& d) { d.b.pictureRows(d.rows(16, "x"), {.width = 24, .first = 16}, "y"); },
     {"\"x\" is 16 wide", "rows of 24", "column 32"}},
    {"kv_append", [](Draft& d) { d.b.kvAppend(Value{}, Value{}, 0); }, {"\"nothing\" is 0 wide"}},
    {"attention",
     [](Draft& d) {
         d.b.attention(d.rows(16, "x"), {0, 4, 2, 8, 8, 1}, "y");
     },
     {"\"x\" is 16 wide", "4 heads of 8"}},
    {"attention",
     [](Draft& d) {
         d.b.attention(d.rows(16, "x"), {0, 4, 3, 4, 4, 1}, "y");
     },
     {"\"x\" has 4 heads", "3 of keys"}},
    {"attention",
     [](Draft& d) {
         d.b.attention(d.rows(16, "x"), {0, 4, 2, 4, 0, 1}, "y");
     },
     {"\"x\" has 4 heads", "values cannot be 0 wide"}},
    {"attention",
     [](Draft& d) { attend(d, {.window = 8, .chunk = 16}); },
     {"a window of 8 and chunks of 16"}},
    {"attention",
     [](Draft& d) { attend(d, {.window = 8, .mask = backend::Mask::Prefix}); },
     {"a window of 8 where later tokens are seen"}},
    {"attention",
     [](Draft& d) { attend(d, {.chunk = 16, .mask = backend::Mask::Prefix}); },
     {"chunks of 16 where later tokens are seen"}},
    {"attention", [](Draft& d) { attend(d, {.softCap = -1}); }, {"cannot be capped at -1"}},
    {"attention", [](Draft& d) { attend(d, {.softCap = NAN}); }, {"cannot be capped at nan"}},
    {"attention",
     [](Draft& d) {
         attend(d, {.alibiSlopes = {0.5F, 0.25F}});
     },
     {"\"x\" has 4 heads", "2 slopes"}},
    {"attention", [](Draft& d) { attend(d, {.hasSinks = true}); }, {"weight 1 of 1 is missing"}},
    {"attention",
     [](Draft& d) { attend(d, {.hasSinks = true}, d.vector(5)); },
     {"\"g\"", "{5}", "4 numbers"}},
    {"head_linear",
     [](Draft& d) {
         d.b.headLinear(d.rows(16, "x"), d.weight("w", Shape::of(9, 6, 2)), {2, 0, 6}, "y");
     },
     {"\"x\" is 16 wide", "2 heads of 9 are 18"}},
    {"head_linear",
     [](Draft& d) {
         d.b.headLinear(d.rows(16, "x"), d.weight("w", Shape::of(8, 6, 2)), {2, 3, 4}, "y");
     },
     {"\"w\"", "{8, 6, 2}", "rows 3 to 7"}},
    {"head_linear",
     [](Draft& d) {
         d.b.headLinear(d.rows(16, "x"), d.weight("w", Shape::of(8, 12)), {2, 0, 6, true}, "y");
     },
     {"\"x\" is 16 wide", "2 heads of 6 are 12"}},
    {"add", [](Draft& d) { d.b.add(d.rows(16, "x"), d.rows(8, "z"), "y"); }, {"\"z\" is 8 wide where 16"}},
    {"multiply",
     [](Draft& d) { d.b.multiply(d.rows(16, "x"), d.rows(8, "z"), "y"); },
     {"\"z\" is 8 wide where 16"}},
    {"scale", [](Draft& d) { d.b.scale(d.rows(0, "x"), 2, "y"); }, {"\"x\" is 0 wide"}},
    {"activation",
     [](Draft& d) { d.b.activation(d.rows(0, "x"), backend::ActivationKind::Silu, "y"); },
     {"\"x\" is 0 wide"}},
    {"token_shift", [](Draft& d) { d.b.tokenShift(d.rows(0, "x"), 0, "y"); }, {"\"x\" is 0 wide"}},
    {"lerp",
     [](Draft& d) { d.b.lerp(d.rows(16, "x"), d.rows(16, "z"), d.rows(8, "m"), "y"); },
     {"\"m\" is 8 wide where 16"}},
    {"lerp",
     [](Draft& d) { d.b.lerp(d.rows(16, "x"), d.rows(16, "z"), d.vector(8), "y"); },
     {"\"g\"", "{8}", "16"}},
    {"wkv4",
     [](Draft& d) {
         d.b.wkv4(d.rows(16, "k"), d.rows(8, "v"), d.vector(16), d.vector(16), {0, 16, 1}, "y");
     },
     {"\"v\" is 8 wide", "16 heads of 1"}},
    {"wkv5",
     [](Draft& d) {
         d.b.wkv5(d.rows(16, "r"), d.rows(8, "k"), d.rows(16, "v"), d.vector(2), d.vector(2), kHeads, "y");
     },
     {"\"k\" is 8 wide", "2 heads of 8"}},
    {"wkv5",
     [](Draft& d) {
         d.b.wkv5(d.rows(16, "r"), d.rows(16, "k"), d.rows(16, "v"), d.vector(2), d.vector(8), kHeads, "y");
     },
     {"\"g\"", "{8}", "16"}},
    {"wkv5",
     [](Draft& d) {
         const Value r = d.rows(16, "r");
         d.b.wkv6(r, r, r, d.rows(2, "w"), d.vector(16), kHeads, "y");
     },
     {"\"w\" is 2 wide", "2 heads of 8"}},
    {"wkv7",
     [](Draft& d) {
         const Value r = d.rows(16, "r");
         d.b.wkv7(r, r, r, r, r, d.rows(8, "a"), kHeads, "y");
     },
     {"\"a\" is 8 wide", "2 heads of 8"}},
    {"wkv_bonus",
     [](Draft& d) {
         const Value r = d.rows(16, "r");
         d.b.wkvBonus(r, r, r, d.vector(8), kHeads, "y");
     },
     {"\"g\"", "{8}", "16"}},
    {"slice",
     [](Draft& d) {
         d.b.slice(d.rows(16, "x"), {3, 0, 1}, "y");
     },
     {"\"x\" is 16 wide", "3 equal"}},
    {"slice",
     [](Draft& d) {
         d.b.slice(d.rows(16, "x"), {2, 5, 4}, "y");
     },
     {"parts of 8", "4 from 5"}},
    {"slice",
     [](Draft& d) {
         d.b.slice(d.rows(16, "x"), {2, 5, 0}, "y");
     },
     {"parts of 8", "0 from 5"}},
    {"concat",
     [](Draft& d) { d.b.concat(d.rows(16, "x"), d.rows(9, "z"), 2, "y"); },
     {"\"z\" is 9 wide", "2 equal parts"}},
    {"short_conv",
     [](Draft& d) {
         d.b.shortConv(d.rows(16, "x"), d.vector(63), nullptr, {0, 4}, "y");
     },
     {"\"g\"", "{63}", "64 numbers"}},
    {"short_conv",
     [](Draft& d) {
         d.b.shortConv(d.rows(16, "x"), d.vector(64), d.vector(8), {0, 4}, "y");
     },
     {"\"g\"", "{8}", "16 numbers"}},
    {"gated_delta",
     [](Draft& d) {
         const Value k = d.rows(16, "k");
         d.b.gatedDelta(k, k, d.rows(32, "v"), d.rows(4, "a"), d.rows(3, "r"), d.vector(4), d.vector(4),
                        kDelta, "y");
     },
     {"\"r\" is 3 wide where 4"}},
    {"gated_delta",
     [](Draft& d) {
         const Value k = d.rows(16, "k"), a = d.rows(4, "a");
         d.b.gatedDelta(k, k, d.rows(32, "v"), a, a, d.vector(4), d.vector(2), kDelta, "y");
     },
     {"\"g\"", "{2}", "4 numbers"}},
    {"gated_delta",
     [](Draft& d) {
         const Value k = d.rows(16, "k"), a = d.rows(4, "a");
         d.b.gatedDelta(k, k, d.rows(32, "v"), a, a, d.vector(4), d.vector(4), {0, 3, 4, 8, 8}, "y");
     },
     {"4 heads cannot share 3"}},
    {"mamba_scan",
     [](Draft& d) {
         const Value c = d.rows(16, "c");
         d.b.mambaScan(d.rows(32, "x"), c, d.rows(8, "b"), d.rows(4, "a"), d.vector(4), d.vector(4),
                       d.vector(4), {0, 4, 8, 2, 8}, "y");
     },
     {"\"b\" is 8 wide where 16"}},
    {"embed_position", [](Draft& d) { d.b.embedPosition(nullptr, "y"); }, {"weight 1 of 1 is missing"}},
    {"position_scale",
     [](Draft& d) {
         d.b.positionScale(d.rows(16, "x"), {0.1f, 0}, "y");
     },
     {"0 positions"}},
    {"expert_scale",
     [](Draft& d) { d.b.expertScale(d.rows(16, "x"), d.rows(6, "r"), d.vector(4), "y"); },
     {"\"x\" is 16 wide", "3 equal parts"}},
    {"clamped_glu",
     [](Draft& d) { d.b.clampedGlu(d.rows(16, "x"), d.rows(8, "z"), 7, "y"); },
     {"\"z\"", "16"}},
    {"clamp",
     [](Draft& d) {
         d.b.clamp(d.rows(16, "x"), {2, 1}, "y");
     },
     {"nothing lies between 2 and 1"}},
    {"scale_parts",
     [](Draft& d) { d.b.scaleParts(d.rows(16, "x"), d.rows(3, "f"), "y"); },
     {"\"x\" is 16 wide", "3 equal parts"}},
    {"channel_scan",
     [](Draft& d) {
         const Value x = d.rows(16, "x"), b = d.rows(4, "b");
         d.b.channelScan(x, b, b, x, d.vector(16), d.vector(16), d.vector(16), {0, 4}, "y");
     },
     {"\"g\"", "{16}", "64 numbers"}},
    {"channel_delta",
     [](Draft& d) {
         const Value k = d.rows(16, "k");
         d.b.channelDelta(k, k, d.rows(8, "v"), d.rows(4, "a"), d.rows(4, "r"), d.vector(4), d.vector(16),
                          {0, 4, 4, 2}, "y");
     },
     {"\"a\" is 4 wide where 16"}},
    {"input_rows", [](Draft& d) { d.b.inputRows(0, "y"); }, {"no width"}},
};

TEST(Builder, aCallThatDoesNotFitIsASentence) {
    std::set<std::string> tried;
    for (const Misfit& misfit : kMisfits) {
        Draft d;
        misfit.call(d);
        d.b.logits(d.rows(8, "logits"));
        const auto graph = d.b.take();
        ASSERT_FALSE(graph) << misfit.op;
        EXPECT_EQ(graph.error().code, ErrorCode::InvalidArgument);
        EXPECT_THAT(graph.error().message, testing::StartsWith(misfit.op + " \""));
        for (const std::string& part : misfit.named) EXPECT_THAT(graph.error().message, HasSubstr(part));
        tried.insert(misfit.op);
    }
    // Passes and cuts alone make these.
    tried.insert({std::string(opName(OpCode::GatedActivation)), std::string(opName(OpCode::SelectRows)),
                  std::string(opName(OpCode::Elsewhere))});
    for (uint32_t code = 0; code < backend::kNumOpCodes; ++code)
        EXPECT_TRUE(tried.contains(std::string(backend::opName(OpCode{static_cast<uint8_t>(code)}))))
            << backend::opName(OpCode{static_cast<uint8_t>(code)});
}

TEST(Builder, onlyTheFirstMisfitIsTold) {
    Draft d;
    d.b.setScope("blk.3");
    const Value x = d.rows(16, "x");
    const Value bad = d.b.add(x, d.rows(8, "z"), "first");
    EXPECT_EQ(bad.width, 0U);
    d.b.logits(d.b.add(x, bad, "second"));
    const auto graph = d.b.take();
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().message, "add \"blk.3.first\": \"blk.3.z\" is 8 wide where 16 are needed");
}

TEST(Builder, aGraphWithoutLogitsIsRefused) {
    Draft d;
    d.rows(8, "x");
    EXPECT_FALSE(d.b.take());
}

TEST(OpFacts, whatPassesMakeIsCheckedToo) {
    const backend::OpCall::Input inputs[] = {{"a", 16}, {"b", 8}};
    const auto gated = backend::outputWidths({.code = OpCode::GatedActivation,
                                              .name = "y",
                                              .inputs = inputs,
                                              .weights = {},
                                              .params = backend::ActivationParams{}});
    ASSERT_FALSE(gated);
    EXPECT_EQ(gated.error().message, "gated \"y\": \"b\" is 8 wide where 16 are needed");
    const auto selected = backend::outputWidths(
        {.code = OpCode::SelectRows, .name = "y", .inputs = inputs, .weights = {}, .params = {}});
    ASSERT_FALSE(selected);
    EXPECT_EQ(selected.error().message, "select_rows \"y\": 2 inputs where 1 are needed");
    const auto others = backend::outputWidths({.code = OpCode::Scale,
                                               .name = "y",
                                               .inputs = std::span(inputs).first(1),
                                               .weights = {},
                                               .params = backend::NormParams{}});
    ASSERT_FALSE(others);
    EXPECT_EQ(others.error().message, "scale \"y\": its parameters are those of another op");
}

struct WrongConfig {
    models::ModelFacts facts;
    bool areAlike(uint32_t, uint32_t) const { return true; }
    void keepLayers(std::span<const uint32_t>) {}
};
std::vector<models::TensorSpec> noTensors(const WrongConfig&) {
    return {};
}
backend::MemorySpec noMemory(const WrongConfig&) {
    return {};
}
/// Asks for a name that is not in the list.
void buildWrong(Builder& b, const WrongConfig&, const models::Weights& w) {
    b.logits(b.embed(w["token_embed.weight"], "embed"));
}

TEST(BuildGraph, aFamilysMistakeIsASentence) {
    using Wrong = models::Definition<WrongConfig, noTensors, noMemory, buildWrong>;
    const models::BoundModel model{std::make_shared<const Wrong>(WrongConfig{{.arch = "wrong"}}), {}};
    const auto graph = models::buildGraph(model);
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().message,
              "the model family \"wrong\" does not fit together: embed \"embed\": weight "
              "1 of 1 is missing");
}

}  // namespace
}  // namespace ingle::graph
