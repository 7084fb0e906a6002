#include "engine/backend/vulkan/substrate/recorder.h"

#include <bit>
#include <cmath>
#include <random>

#include "engine/kernels/ref/norm.h"
#include "tests/engine/backend_vulkan/vulkan_test.h"

namespace ingle::backend::vulkan {
namespace {

class RecorderTest : public VulkanTest {
  protected:
    void SetUp() override {
        VulkanTest::SetUp();
        if (device) memory = std::make_unique<Allocator>(*device, MemoryUse::HostRead);
    }
    void TearDown() override {
        memory.reset();
        VulkanTest::TearDown();
    }

    /// `count` buffers of `elems` floats that the host sees, filled with random numbers.
    std::vector<BufferRange> rows(size_t count, size_t elems) {
        const std::vector<uint64_t> sizes(count, elems * sizeof(float));
        auto ranges = memory->allocate(sizes);
        EXPECT_TRUE(ranges.has_value()) << ranges.error().message;
        std::normal_distribution<float> normal;
        for (const BufferRange& range : *ranges)
            for (float& value : floatsOf(range)) value = normal(random);
        return *ranges;
    }

    Dispatch binary(const std::string& shader, const BufferRange& a, const BufferRange& b,
                    const BufferRange& y, uint32_t workgroup) {
        const auto count = static_cast<uint32_t>(y.bytes / sizeof(float));
        return {.pipeline = pipeline({shader, {workgroup}}),
                .bindings = {reads(a), reads(b), writes(y)},
                .push = BinaryPush{count},
                .groups = {groupsFor(count, workgroup), 1, 1}};
    }
    Dispatch addition(const BufferRange& a, const BufferRange& b, const BufferRange& y) {
        return binary("add", a, b, y, 64);
    }

    std::unique_ptr<Commands> finish(const Recorder& recorder) {
        auto commands = recorder.finish();
        EXPECT_TRUE(commands.has_value()) << commands.error().message;
        return std::move(*commands);
    }

    void run(Commands& commands) {
        const Status ran = commands.run(kTestLimit);
        ASSERT_TRUE(ran.has_value()) << ran.error().message;
    }

    std::mt19937 random{11};
    std::unique_ptr<Allocator> memory;
};

TEST_F(RecorderTest, computesAtOddSizes) {
    for (const size_t elems : {1, 63, 64, 65, 1000, 4097}) {
        for (const uint32_t workgroup : {1u, 8u, 32u, 256u}) {
            SCOPED_TRACE(fmt::format("{} floats in workgroups of {}", elems, workgroup));
            const auto r = rows(4, elems);
            Recorder recorder(*device, *pipelines);
            ASSERT_TRUE(recorder.dispatch(binary("add", r[0], r[1], r[2], workgroup)).has_value());
            ASSERT_TRUE(recorder.dispatch(binary("multiply", r[0], r[1], r[3], workgroup)).has_value());
            run(*finish(recorder));
            for (size_t i = 0; i < elems; ++i) {
                ASSERT_EQ(floatsOf(r[2])[i], floatsOf(r[0])[i] + floatsOf(r[1])[i]) << i;
                ASSERT_EQ(floatsOf(r[3])[i], floatsOf(r[0])[i] * floatsOf(r[1])[i]) << i;
            }
        }
    }
}

/// relRmse = sqrt(sum((a-b)^2) / sum(b^2))
double relRmse(std::span<const float> a, std::span<const float> b) {
    double difference = 0, size = 0;
    for (size_t i = 0; i < b.size(); ++i) {
        difference += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
        size += double(b[i]) * b[i];
    }
    return std::sqrt(difference / size);
}

TEST_F(RecorderTest, reducesAtAnySubgroupWidth) {
    constexpr uint32_t kRows = 3;
    constexpr float kEps = 1e-5f;
    struct NormPush {
        uint32_t size;
        float eps;
    };
    for (const uint32_t size : {1u, 7u, 96u, 1000u}) {
        for (const uint32_t workgroup : {1u, 4u, 32u, 128u, 256u}) {
            SCOPED_TRACE(fmt::format("{} floats in workgroups of {}", size, workgroup));
            const auto r = rows(2, kRows * size);
            const auto gain = rows(1, size).front();
            Recorder recorder(*device, *pipelines);
            ASSERT_TRUE(recorder
                            .dispatch({.pipeline = pipeline({"rms_norm", {workgroup}}),
                                       .bindings = {reads(r[0]), reads(gain), writes(r[1])},
                                       .push = NormPush{size, kEps},
                                       .groups = {1, kRows, 1}})
                            .has_value());
            run(*finish(recorder));
            std::vector<float> expected(kRows * size);
            kernels::rmsNormRef(floatsOf(r[0]).data(), floatsOf(gain).data(), expected.data(), kRows, size,
                                kEps);
            EXPECT_LT(relRmse(floatsOf(r[1]), expected), 1e-6);
            for (float& value : expected) value *= 1.0001f;
            EXPECT_GT(relRmse(floatsOf(r[1]), expected), 1e-6);
        }
    }
}

TEST_F(RecorderTest, chainsAreOrdered) {
    constexpr size_t kElems = 5000;
    const auto r = rows(2, kElems);
    std::ranges::fill(floatsOf(r[0]), 1.0f);
    std::ranges::fill(floatsOf(r[1]), 0.0f);
    Recorder recorder(*device, *pipelines);
    constexpr uint32_t kSteps = 20;
    for (uint32_t i = 0; i < kSteps; ++i) {
        Dispatch step = addition(r[0], r[1], r[1]);
        step.bindings[1] = step.bindings[2] = updates(r[1]);
        ASSERT_TRUE(recorder.dispatch(step).has_value());
    }
    const auto commands = finish(recorder);
    EXPECT_EQ(commands->numDispatches(), kSteps);
    EXPECT_EQ(commands->numBarriers(), kSteps - 1);
    run(*commands);
    for (const float value : floatsOf(r[1])) ASSERT_EQ(value, float(kSteps));
    run(*commands);  // the same recording again
    for (const float value : floatsOf(r[1])) ASSERT_EQ(value, float(2 * kSteps));
}

TEST_F(RecorderTest, siblingsNeedNoBarrier) {
    const auto r = rows(6, 100);
    Recorder recorder(*device, *pipelines);
    ASSERT_TRUE(recorder.dispatch(addition(r[0], r[1], r[2])).has_value());
    ASSERT_TRUE(recorder.dispatch(addition(r[0], r[1], r[3])).has_value());
    ASSERT_TRUE(recorder.dispatch(addition(r[0], r[1], r[4])).has_value());
    ASSERT_TRUE(recorder.dispatch(addition(r[2], r[3], r[5])).has_value());
    const auto commands = finish(recorder);
    EXPECT_EQ(commands->numBarriers(), 1u);
    run(*commands);
    for (size_t i = 0; i < 100; ++i) {
        const float sum = floatsOf(r[0])[i] + floatsOf(r[1])[i];
        ASSERT_EQ(floatsOf(r[5])[i], sum + sum);
    }
}

TEST_F(RecorderTest, wrongAccessesAreHeardByTheValidationLayer) {
    if (instance->validation() == Validation::Off) GTEST_SKIP() << "runs with INGLE_VK_VALIDATION=1";
    const auto r = rows(4, 100);
    Recorder recorder(*device, *pipelines);
    Dispatch lie = addition(r[0], r[1], r[2]);
    lie.bindings[2].access = AccessKind::Read;
    ASSERT_TRUE(recorder.dispatch(lie).has_value());
    ASSERT_TRUE(recorder.dispatch(addition(r[2], r[1], r[3])).has_value());
    EXPECT_EQ(finish(recorder)->numBarriers(), 0u);
    complaintsAreExpected = true;
}

TEST_F(RecorderTest, copiesAndFillsTakeTheirTurn) {
    const auto r = rows(4, 300);
    Recorder recorder(*device, *pipelines);
    const float two = 2;
    ASSERT_TRUE(recorder.fill(r[1], std::bit_cast<uint32_t>(two)).has_value());
    ASSERT_TRUE(recorder.dispatch(addition(r[0], r[1], r[2])).has_value());
    ASSERT_TRUE(recorder.copy(r[2], r[3]).has_value());
    ASSERT_TRUE(recorder.copy(r[3].part(0, 256), r[1].part(512, 256)).has_value());
    const auto commands = finish(recorder);
    EXPECT_EQ(commands->numDispatches(), 1u);
    EXPECT_EQ(commands->numBarriers(), 3u);
    run(*commands);
    for (size_t i = 0; i < 300; ++i) ASSERT_EQ(floatsOf(r[3])[i], floatsOf(r[0])[i] + 2);
    for (size_t i = 0; i < 64; ++i) ASSERT_EQ(floatsOf(r[1])[128 + i], floatsOf(r[3])[i]);
}

TEST_F(RecorderTest, severalRecordingsTakeTurns) {
    const auto r = rows(2, 1000);
    std::ranges::fill(floatsOf(r[0]), 1.0f);
    std::ranges::fill(floatsOf(r[1]), 0.0f);
    Recorder recorder(*device, *pipelines);
    Dispatch step = addition(r[0], r[1], r[1]);
    step.bindings[1] = step.bindings[2] = updates(r[1]);
    ASSERT_TRUE(recorder.dispatch(step).has_value());
    std::vector<std::unique_ptr<Commands>> ring;
    for (int i = 0; i < 3; ++i) ring.push_back(finish(recorder));
    std::vector<uint64_t> values(ring.size());
    constexpr size_t kSteps = 50;
    for (size_t i = 0; i < kSteps; ++i) {
        uint64_t& value = values[i % ring.size()];
        ASSERT_TRUE(device->wait(value, kTestLimit).has_value());
        const auto submitted = ring[i % ring.size()]->submit();
        ASSERT_TRUE(submitted.has_value()) << submitted.error().message;
        value = *submitted;
    }
    ASSERT_TRUE(device->wait(kSteps, kTestLimit).has_value());
    for (const float value : floatsOf(r[1])) ASSERT_EQ(value, float(kSteps));
}

TEST_F(RecorderTest, commandsThatRunAreNotSubmittedAgain) {
    const auto r = rows(3, 100);
    Recorder recorder(*device, *pipelines);
    ASSERT_TRUE(recorder.dispatch(addition(r[0], r[1], r[2])).has_value());
    const auto commands = finish(recorder);
    const auto first = commands->submit();
    ASSERT_TRUE(first.has_value());
    const auto real = device->api().GetSemaphoreCounterValue;
    device->api().GetSemaphoreCounterValue = [](VkDevice, VkSemaphore, uint64_t* value) {
        *value = 0;  // as if nothing were done yet
        return VK_SUCCESS;
    };
    const auto second = commands->submit();
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::InvalidArgument);
    device->api().GetSemaphoreCounterValue = real;
    ASSERT_TRUE(device->wait(*first, kTestLimit).has_value());
    EXPECT_TRUE(commands->run(kTestLimit).has_value());
}

TEST_F(RecorderTest, badDispatchesAreRefused) {
    const auto r = rows(3, 1000);
    const Dispatch good = addition(r[0], r[1], r[2]);
    const auto refused = [&](auto spoil) {
        Dispatch dispatch = good;
        spoil(dispatch);
        Recorder recorder(*device, *pipelines);
        const Status status = recorder.dispatch(std::move(dispatch));
        return !status && status.error().code == ErrorCode::InvalidArgument;
    };
    EXPECT_FALSE(refused([](Dispatch&) {}));
    EXPECT_TRUE(refused([](Dispatch& d) { d.pipeline = nullptr; }));
    EXPECT_TRUE(refused([](Dispatch& d) { d.bindings.clear(); }));
    EXPECT_TRUE(refused([](Dispatch& d) { d.bindings.resize(kMaxBindings + 1, d.bindings[0]); }));
    EXPECT_TRUE(refused([](Dispatch& d) { d.bindings[0].range.bytes = 0; }));
    EXPECT_TRUE(refused([](Dispatch& d) { d.bindings[0].range.offset += 4; }));
    EXPECT_TRUE(refused([](Dispatch& d) { d.bindings[0].range.bytes = UINT64_MAX; }));
    EXPECT_TRUE(refused([](Dispatch& d) { d.bindings[0].range.buffer = VK_NULL_HANDLE; }));
    EXPECT_TRUE(refused([](Dispatch& d) { d.groups[1] = 0; }));
    if (info.limits.maxGroups[1] < UINT32_MAX) {
        EXPECT_TRUE(refused([&](Dispatch& d) { d.groups[1] = info.limits.maxGroups[1] + 1; }));
    }
    Recorder recorder(*device, *pipelines);
    EXPECT_FALSE(recorder.copy(r[0].part(0, 8), r[1].part(0, 4)).has_value());
    EXPECT_FALSE(recorder.fill(r[0].part(0, 6), 0).has_value());
}

}  // namespace
}  // namespace ingle::backend::vulkan
