/// Ops find in a sequence's memory what they read and write there, or a program is not made.
#include "engine/backend/op_facts.h"

#include <gmock/gmock.h>

#include "engine/backend/chunk_state.h"
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/base/isa.h"
#include "engine/graph/builder.h"
#include "engine/graph/lower.h"

namespace ingle::backend {
namespace {

using testing::HasSubstr;

/// Values of 16, in heads of 8.
struct FactsDraft {
    tensor::Tensor table{"table", tensor::Shape::of(16, 4), nullptr, {}};
    tensor::Tensor gain{"gain", tensor::Shape::of(16), nullptr, {}};
    graph::Builder b;
    graph::Value x = b.embed(&table, "x");
};

struct Kept {
    std::string op;
    graph::Value (*call)(FactsDraft& d);
    MemorySpec right;
    MemorySpec wrong;
    std::string complaint;
};

const WkvParams kWkvHeads{0, 2, 8};
const GatedDeltaParams kDelta{0, 16, 16, 1, 1};
const MambaScanParams kScan{0, 16, 1, 16, 1};

const Kept kKept[] = {
    {"kv_append \"x\"",
     [](FactsDraft& d) {
         d.b.kvAppend(d.x, d.x, 0);
         return d.x;
     },
     {.kv = {{16, 16}}, .states = {}},
     {.kv = {{16, 8}}, .states = {}},
     "16 and 16 wide, but layer 0 of the cache keeps 16 and 8"},
    {"attention \"y\"",
     [](FactsDraft& d) {
         return d.b.attention(d.x, {1, 2, 1, 8, 8, 1}, "y");
     },
     {.kv = {{16, 16}, {8, 8}}, .states = {}},
     {.kv = {{8, 8}}, .states = {}},
     "no layer 1 in a cache of 1"},
    {"attention \"y\"",
     [](FactsDraft& d) {
         return d.b.attention(d.x, {0, 2, 1, 8, 8, 1}, "y");
     },
     {.kv = {{8, 8}}, .states = {}},
     {.kv = {{16, 16}}, .states = {}},
     "8 and 8 wide, but layer 0 of the cache keeps 16 and 16"},
    {"attention \"y\"",
     [](FactsDraft& d) {
         return d.b.attention(d.x, {0, 2, 1, 8, 5, 1}, "y");
     },
     {.kv = {{8, 5}}, .states = {}},
     {.kv = {{8, 8}}, .states = {}},
     "8 and 5 wide, but layer 0 of the cache keeps 8 and 8"},
    {"attention \"y\"",
     [](FactsDraft& d) {
         return d.b.attention(d.x, {.numHeads = 2, .numKvHeads = 1, .keyDim = 8, .valueDim = 8, .window = 7},
                              "y");
     },
     {.kv = {{8, 8, 7}}, .states = {}},
     {.kv = {{8, 8, 6}}, .states = {}},
     "it sees 7 tokens, but layer 0 of the cache keeps 6 tokens"},
    {"attention \"y\"",
     [](FactsDraft& d) {
         return d.b.attention(d.x, {.numHeads = 2, .numKvHeads = 1, .keyDim = 8, .valueDim = 8}, "y");
     },
     {.kv = {{8, 8}}, .states = {}},
     {.kv = {{8, 8, 6}}, .states = {}},
     "it sees all tokens"},
    {"kv_append \"x\"",
     [](FactsDraft& d) {
         d.b.kvAppend(d.x, 0);
         return d.x;
     },
     {.kv = {{16, 0}}, .states = {}},
     {.kv = {{16, 16}}, .states = {}},
     "16 and 0 wide, but layer 0 of the cache keeps 16 and 16"},
    {"attention \"y\"",
     [](FactsDraft& d) {
         return d.b.attention(d.x, {0, 2, 1, 8, 5, 1}, "y");
     },
     {.kv = {{8, 0}}, .states = {}},
     {.kv = {{4, 0}}, .states = {}},
     "8 and 0 wide, but layer 0 of the cache keeps 4 and 0"},
    {"token_shift \"y\"",
     [](FactsDraft& d) { return d.b.tokenShift(d.x, 0, "y"); },
     {.kv = {}, .states = {{"s", 16}}},
     {.kv = {}, .states = {{"s", 8}}},
     "it keeps 16 numbers, but the state \"s\" has 8"},
    {"wkv4 \"y\"",
     [](FactsDraft& d) {
         return d.b.wkv4(d.x, d.x, &d.gain, &d.gain, {0, 16, 1}, "y");
     },
     {.kv = {}, .states = {{"a", 16}, {"b", 16}, {"c", 16}}},
     {.kv = {}, .states = {{"a", 16}, {"b", 16}}},
     "no state 2 among 2"},
    {"wkv5 \"y\"",
     [](FactsDraft& d) { return d.b.wkv5(d.x, d.x, d.x, &d.gain, &d.gain, kWkvHeads, "y"); },
     {.kv = {}, .states = {{"s", 128}}},
     {.kv = {}, .states = {{"s", 16}}},
     "it keeps 128 numbers, but the state \"s\" has 16"},
    {"wkv7 \"y\"",
     [](FactsDraft& d) { return d.b.wkv7(d.x, d.x, d.x, d.x, d.x, d.x, kWkvHeads, "y"); },
     {.kv = {}, .states = {{"s", 128}}},
     {.kv = {}, .states = {{"s", 64}}},
     "it keeps 128 numbers, but the state \"s\" has 64"},
    {"short_conv \"y\"",
     [](FactsDraft& d) {
         return d.b.shortConv(d.x, &d.gain, nullptr, {0, 1}, "y");
     },
     {.kv = {}, .states = {ringState("s", {0, 1}, 16)}},
     {.kv = {}, .states = {{"s", 32 * 16}}},
     "it keeps 32 rows of 16 numbers, but the state \"s\" has 0 of 0"},
    {"gated_delta \"y\"",
     [](FactsDraft& d) { return d.b.gatedDelta(d.x, d.x, d.x, d.x, d.x, &d.gain, &d.gain, kDelta, "y"); },
     {.kv = {}, .states = {chunkedState("s", layoutOf(kDelta))}},
     {.kv = {}, .states = {{"s", 8}}},
     "it keeps 1552 numbers, but the state \"s\" has 8"},
    {"mamba_scan \"y\"",
     [](FactsDraft& d) { return d.b.mambaScan(d.x, d.x, d.x, d.x, &d.gain, &d.gain, &d.gain, kScan, "y"); },
     {.kv = {}, .states = {chunkedState("s", layoutOf(kScan))}},
     {.kv = {}, .states = {}},
     "no state 0 among 0"},
    {"channel_scan \"y\"",
     [](FactsDraft& d) {
         const graph::Value one = d.b.slice(d.x, {1, 0, 1}, "one");
         return d.b.channelScan(d.x, one, one, d.x, &d.gain, &d.gain, &d.gain, {0, 1}, "y");
     },
     {.kv = {}, .states = {{"s", 16}}},
     {.kv = {}, .states = {{"s", 8}}},
     "it keeps 16 numbers, but the state \"s\" has 8"},
    {"channel_delta \"y\"",
     [](FactsDraft& d) {
         return d.b.channelDelta(d.x, d.x, d.x, d.x, d.x, &d.gain, &d.gain, {0, 16, 1, 1}, "y");
     },
     {.kv = {}, .states = {{"s", 16}}},
     {.kv = {}, .states = {}},
     "no state 0 among 0"},
};

TEST(OpFacts, memoryThatDoesNotFitIsASentence) {
    const auto cpu = cpu::createCpuBackend({.threads = 1, .isa = base::Isa::Scalar});
    for (const Kept& kept : kKept) {
        FactsDraft d;
        d.b.logits(kept.call(d));
        const Plan plan = graph::lower(d.b.take().value(), {});
        EXPECT_TRUE(checkMemory(plan, kept.right)) << kept.op;
        const Status status = checkMemory(plan, kept.wrong);
        ASSERT_FALSE(status) << kept.op;
        EXPECT_THAT(status.error().message, testing::StartsWith(kept.op + ": "));
        EXPECT_THAT(status.error().message, HasSubstr(kept.complaint));
        // Programs ask.
        const auto memory = cpu->createMemory(kept.wrong, {KvType::F32, 64});
        ASSERT_TRUE(memory);
        const auto program = cpu->compile(plan, **memory);
        ASSERT_FALSE(program);
        EXPECT_EQ(program.error().message, status.error().message);
    }
}

}  // namespace
}  // namespace ingle::backend
