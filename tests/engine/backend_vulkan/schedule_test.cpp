/// How ops are cut into runs and values share buffers. Needs no device.
#include "engine/backend/vulkan/program/schedule.h"

#include "engine/backend/op_facts.h"
#include "tests/engine/backend_vulkan/synth_model.h"
#include "tests/test_name.h"

namespace ingle::backend::vulkan {
namespace {

/// Whether every run finds in its inputs' buffers what was written there last, and writes to none of them.
bool keepsValues(const Plan& plan, std::span<const ScheduledRun> runs, const ValueBuffers& buffers) {
    std::vector<std::optional<ValueId>> content(buffers.sizes.size());
    for (const ScheduledRun& scheduled : runs) {
        const OpRun& run = scheduled.run;
        std::vector<uint32_t> read;
        for (size_t i = 0; i < run.size(); ++i) {
            for (const Operand& input : run.inputs(i)) {
                const auto buffer = buffers.bufferOf[input.value];
                if (!buffer) continue;  // passed on inside the run
                if (content[*buffer] != input.value) return false;
                read.push_back(*buffer);
            }
        }
        std::vector<uint32_t> written;
        for (size_t i = 0; i < run.size(); ++i) {
            for (const Operand& output : run.outputs(i)) {
                const auto buffer = buffers.bufferOf[output.value];
                if (!buffer) continue;
                if (std::ranges::find(read, *buffer) != read.end()) return false;
                if (std::ranges::find(written, *buffer) != written.end()) return false;
                written.push_back(*buffer);
                content[*buffer] = output.value;
            }
        }
    }
    return content[*buffers.bufferOf[plan.output.value]] == plan.output.value;
}

/// Whether each op is in one run, behind those that make what it reads, and memory is used in the plan's
/// order.
bool isInOrder(const Plan& plan, std::span<const ScheduledRun> runs) {
    std::vector<int> timesDone(plan.ops.size(), 0);
    uint32_t lastOfMemory = 0;
    for (const ScheduledRun& scheduled : runs) {
        const auto ops = scheduled.run.ops();
        for (const uint32_t op : ops) {
            ++timesDone[op];
            if (!usesMemory(plan.ops[op].code)) continue;
            if (op < lastOfMemory) return false;
            lastOfMemory = op;
        }
        for (const uint32_t op : ops)
            for (const Operand& input : plan.ops[op].inputs)
                if (timesDone[plan.values[input.value].firstOp] != 1) return false;
    }
    return std::ranges::all_of(timesDone, [](int times) { return times == 1; });
}

class Schedules : public testing::TestWithParam<const models::ModelFamily*> {
  protected:
    const test::TemporaryFolder m_folder;
    const SynthModel m_model =
        openSynthModel(m_folder, {.family = std::string(GetParam()->arch), .quant = "Q8_0"}, 8);
};

TEST_P(Schedules, everyOpRunsOnceInOrder) {
    const Plan& plan = m_model.plan;
    auto fused = scheduleOps(plan, Fusion::On);
    ASSERT_TRUE(fused) << fused.error().message;
    EXPECT_TRUE(isInOrder(plan, *fused));
    EXPECT_LT(fused->size(), plan.ops.size());
    const auto plain = scheduleOps(plan, Fusion::Off);
    ASSERT_TRUE(plain);
    EXPECT_TRUE(isInOrder(plan, *plain));
    ASSERT_EQ(plain->size(), plan.ops.size());
    for (uint32_t op = 0; op < plan.ops.size(); ++op) EXPECT_EQ((*plain)[op].run.ops()[0], op);
    // The check sees an op that comes too early.
    std::vector<ScheduledRun> wrong(plain->rbegin(), plain->rend());
    EXPECT_FALSE(isInOrder(plan, wrong));
}

TEST_P(Schedules, valuesThatLiveAtOnceHaveBuffersOfTheirOwn) {
    const Plan& plan = m_model.plan;
    for (const Fusion fusion : {Fusion::On, Fusion::Off}) {
        const auto runs = scheduleOps(plan, fusion);
        ASSERT_TRUE(runs);
        ValueBuffers buffers = planValues(plan, *runs, {8, 8});
        EXPECT_TRUE(keepsValues(plan, *runs, buffers));
        EXPECT_LT(buffers.sizes.size(), 16U);
        for (ValueId value = 0; value < plan.values.size(); ++value) {
            if (!buffers.bufferOf[value]) continue;
            EXPECT_GE(buffers.sizes[*buffers.bufferOf[value]],
                      8 * paddedWidth(plan.values[value].width) * sizeof(float));
        }
        // The check sees a buffer that is given away too early.
        for (auto& buffer : buffers.bufferOf) {
            if (buffer) buffer = 0;
        }
        EXPECT_FALSE(keepsValues(plan, *runs, buffers));
    }
}

INSTANTIATE_TEST_SUITE_P(Table, Schedules,
                         testing::ValuesIn(models::allFamilies().begin(), models::allFamilies().end()),
                         [](const auto& family) { return test::testName(family.param->arch); });

/// A layer of attention whose ops are written in this order: of each letter of "nNrRa" one (norms and
/// rotations of queries, in capitals of keys; the append). Behind it an op that has nothing to do with the
/// rest.
std::vector<std::vector<OpCode>> runsOf(std::string_view order) {
    static const tensor::Tensor table{"table", tensor::Shape::of(16, 4), quant::findFormat(quant::kF32), {}};
    static const tensor::Tensor gain{"gain", tensor::Shape::of(8), quant::findFormat(quant::kF32), {}};
    static const tensor::Tensor square{
        "square", tensor::Shape::of(16, 16), quant::findFormat(quant::kF32), {}};
    const RopeParams rope{2, 8, {1.0, 0.5}, 1, RopeStyle::HalfSplit};
    graph::Builder b;
    const graph::Value x = b.embed(&table, "x");
    graph::Value q = b.linear(x, &square, "q");
    graph::Value k = b.linear(x, &square, "k");
    const graph::Value v = b.linear(x, &square, "v");
    for (const char op : order) {
        if (op == 'n') q = b.rmsNorm(q, &gain, 1e-5F, "q_norm", 2);
        if (op == 'N') k = b.rmsNorm(k, &gain, 1e-5F, "k_norm", 2);
        if (op == 'r') q = b.rope(q, rope, "q_rope");
        if (op == 'R') k = b.rope(k, rope, "k_rope");
        if (op == 'a') b.kvAppend(k, v, 0);
    }
    const graph::Value y = b.linear(b.attention(q, {0, 2, 2, 8, 8, 1}, "y"), &square, "out");
    const graph::Value other = b.scale(x, 2, "other");
    b.logits(b.multiply(b.add(x, y, "residual"), other, "logits"));
    const Plan plan = graph::lower(b.take().value(), {.maxTokens = 4, .maxLogitRows = 4});
    const auto runs = scheduleOps(plan, Fusion::On);
    EXPECT_TRUE(runs && isInOrder(plan, *runs)) << order;
    std::vector<std::vector<OpCode>> codes;
    for (const ScheduledRun& scheduled : *runs)
        codes.emplace_back(scheduled.kernel->codes.begin(), scheduled.kernel->codes.end());
    std::ranges::sort(codes);
    return codes;
}

/// What is computed in one go does not depend on the order in which a family writes its ops.
TEST(Schedule, runsFollowTheDataNotTheOrder) {
    using enum OpCode;
    const auto usual = runsOf("nNrRa");
    EXPECT_TRUE(std::ranges::count(usual, std::vector{RmsNorm, RmsNorm, Rope, Rope, KvAppend}) == 1);
    // Between the product and its sum lies another op.
    EXPECT_TRUE(std::ranges::count(usual, std::vector{Linear, Add}) == 1);
    for (const std::string_view order : {"nrNRa", "NnRra", "NRnra", "NRanr"})
        EXPECT_EQ(runsOf(order), usual) << order;
}

}  // namespace
}  // namespace ingle::backend::vulkan
