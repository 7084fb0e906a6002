/// How ops are cut into runs and values share buffers. Needs no device.
#include "engine/backend/vulkan/schedule.h"

#include "tests/engine/backend_vulkan/synth_model.h"

namespace ingle::backend::vulkan {
namespace {

/// Whether every run finds in its inputs' buffers what was written there last, and writes to none of them.
bool keepsValues(const PlanValues& values, std::span<const ScheduledRun> runs, const ValueBuffers& buffers) {
    std::vector<std::optional<ValueId>> content(buffers.sizes.size());
    for (const ScheduledRun& scheduled : runs) {
        const OpRun& run = scheduled.run;
        std::vector<uint32_t> read;
        for (size_t i = 0; i < run.size(); ++i) {
            for (const ValueId input : run.inputs(i)) {
                if (!buffers.bufferOf[input]) continue;  // passed on inside the run
                if (content[*buffers.bufferOf[input]] != input) return false;
                read.push_back(*buffers.bufferOf[input]);
            }
        }
        std::vector<uint32_t> written;
        for (size_t i = 0; i < run.size(); ++i) {
            for (const ValueId output : run.outputs(i)) {
                if (!buffers.bufferOf[output]) continue;
                const uint32_t buffer = *buffers.bufferOf[output];
                if (std::ranges::find(read, buffer) != read.end()) return false;
                if (std::ranges::find(written, buffer) != written.end()) return false;
                written.push_back(buffer);
                content[buffer] = output;
            }
        }
    }
    return content[*buffers.bufferOf[values.logits]] == values.logits;
}

class Schedules : public testing::TestWithParam<const models::ModelFamily*> {
  protected:
    const test::TemporaryFolder m_folder;
    const SynthModel m_model =
        openSynthModel(m_folder, {.family = std::string(GetParam()->arch), .quant = "Q8_0"}, 8);
};

TEST_P(Schedules, everyOpRunsOnceInOrder) {
    const PlanValues values(m_model.plan);
    for (const OpFusion fusion : {OpFusion::On, OpFusion::Off}) {
        const auto runs = scheduleOps(m_model.plan, values, fusion);
        ASSERT_TRUE(runs) << runs.error().message;
        size_t next = 0;
        for (const ScheduledRun& scheduled : *runs) {
            EXPECT_EQ(scheduled.run.first(), next);
            next += scheduled.run.size();
            if (fusion == OpFusion::Off) {
                EXPECT_EQ(scheduled.run.size(), 1U);
            }
        }
        EXPECT_EQ(next, m_model.plan.ops.size());
        EXPECT_EQ(runs->size() < next, fusion == OpFusion::On);
    }
}

TEST_P(Schedules, valuesThatLiveAtOnceHaveBuffersOfTheirOwn) {
    const PlanValues values(m_model.plan);
    for (const OpFusion fusion : {OpFusion::On, OpFusion::Off}) {
        const auto runs = scheduleOps(m_model.plan, values, fusion);
        ASSERT_TRUE(runs);
        ValueBuffers buffers = planBuffers(values, *runs, {8, 8});
        EXPECT_TRUE(keepsValues(values, *runs, buffers));
        EXPECT_LT(buffers.sizes.size(), 16U);
        for (ValueId value = 0; value < values.values.size(); ++value) {
            if (!buffers.bufferOf[value]) continue;
            EXPECT_GE(buffers.sizes[*buffers.bufferOf[value]],
                      8 * paddedWidth(values.values[value].width) * sizeof(float));
        }
        // The check sees a buffer that is given away too early.
        for (auto& buffer : buffers.bufferOf) {
            if (buffer) buffer = 0;
        }
        EXPECT_FALSE(keepsValues(values, *runs, buffers));
    }
}

INSTANTIATE_TEST_SUITE_P(Table, Schedules,
                         testing::ValuesIn(models::allFamilies().begin(), models::allFamilies().end()),
                         [](const auto& family) { return std::string(family.param->arch); });

}  // namespace
}  // namespace ingle::backend::vulkan
