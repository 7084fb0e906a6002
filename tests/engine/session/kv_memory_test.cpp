/// Keys and values in the computer's memory while a device computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/lab/synth.h"
#include "engine/session/loading/model.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/engine/session/half_device.h"
#include "tests/engine/session/little_memory.h"
#include "tests/engine/session/model_runs.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

constexpr uint32_t kKvContext = 32768;

class KvMemoryOnCards : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!m_devices.missing().empty()) GTEST_SKIP() << m_devices.missing();
        m_devices.becomeCards(m_heaps);
        lab::SynthOptions options{.family = GetParam(), .quant = "Q8_0"};
        options.sizes.numLayers = 4;
        ASSERT_TRUE(lab::writeSynthModel(options, m_path));
    }
    std::unique_ptr<Model> load(LoadOptions options, DeviceFactory device) {
        options.threads = 1;
        options.contextTokens = kKvContext;
        options.activations = ActivationType::F32;
        auto model = Model::load(test::opened(m_path), options, nullptr, std::move(device), test::unchecked);
        EXPECT_TRUE(model) << model.error().message;
        return std::move(*model);
    }

    /// Of the card's memory for a model like `loaded`, the last that was loaded, without keys and values, to
    /// 4 KiB.
    uint64_t leastLimit(Model& loaded) {
        const backend::Backend& backend = loaded.placement().place().backend();
        const backend::Plan plan =
            lowerModel(loaded.opened(), {},
                       Model::stepTokens(loaded.opened().bound.facts(), kKvContext, backend.promptRows()),
                       Model::kStepLogits);
        auto& device = m_devices.current().device();
        constexpr uint64_t kMost = uint64_t{1} << 30;
        device.limitMemory(kMost);
        const uint64_t taken = kMost - device.availableBytes(test::TwoHeaps::kDevice);
        uint64_t least = 0, enough = kMost;
        while (enough - least > 4096) {
            const uint64_t middle = least + (enough - least) / 2;
            device.limitMemory(taken + middle);
            const Status fits = backend.checkRoom(
                plan, loaded.memorySpec(),
                {.kv = KvType::F16, .sequences = backend::kUsualSequences, .kvMemory = KvMemory::Main});
            (fits ? enough : least) = middle;
        }
        return enough;
    }

    static std::vector<std::vector<float>> allWays(Model& model) {
        std::vector<TokenId> tokens;
        for (int i = 0; i < 150; ++i) tokens.push_back((i * 37 + 11) % 320);
        return {test::logitsInChunks(model, tokens, 64),       test::logitsInChunks(model, tokens, 1),
                test::logitsOverSaveAndRestore(model, tokens), test::logitsOfAFork(model, tokens),
                test::logitsBesideSevenOthers(model, tokens),  test::logitsBehindGuesses(model, tokens)};
    }

    test::TwoHeaps m_heaps;
    test::VulkanDevices m_devices;
    test::TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("model.gguf");
};

/// A card that has no room for them computes the whole model all the same.
TEST_P(KvMemoryOnCards, leaveTheCardToTheModel) {
    const auto onCard = load({}, m_devices.factory());
    ASSERT_EQ(onCard->info().backend, "vulkan") << onCard->info().deviceNote;
    const auto expected = allWays(*onCard);
    const backend::MemorySpec& memory = onCard->memorySpec();
    const uint64_t pages = kKvContext * backend::cacheBytesPerToken(memory, KvType::F16);
    const uint64_t idleStates = (backend::kUsualSequences - backend::kLeastSequences) *
                                backend::sequenceBytes(memory, KvType::F16, 0);
    ASSERT_GT(pages, 2 * idleStates);
    const uint64_t limit = leastLimit(*onCard) + (pages - idleStates) / 2;
    EXPECT_EQ(load({.deviceBytes = limit}, m_devices.factory())->info().backend, "split");
    const auto inMain = load({.deviceBytes = limit, .kvMemory = KvMemory::Main}, m_devices.factory());
    ASSERT_EQ(inMain->info().backend, "vulkan") << inMain->info().deviceNote;
    m_devices.current().device().limitMemory(uint64_t{1} << 30);  // further programs need some
    EXPECT_EQ(allWays(*inMain), expected);
    m_devices.expectNoComplaints();
}

TEST_P(KvMemoryOnCards, serveSplitModels) {
    const auto onCard = load({}, test::halfOf(m_devices.factory()));
    ASSERT_EQ(onCard->info().backend, "split");
    const auto expected = allWays(*onCard);
    const auto inMain = load({.kvMemory = KvMemory::Main}, test::halfOf(m_devices.factory()));
    EXPECT_EQ(inMain->info().device, onCard->info().device);
    EXPECT_EQ(allWays(*inMain), expected);
    m_devices.expectNoComplaints();
}

// qwen35 has both, keys and values, and states, which stay.
INSTANTIATE_TEST_SUITE_P(Table, KvMemoryOnCards, testing::Values("llama", "qwen35"),
                         [](const auto& family) { return std::string(family.param); });

/// What the computer's memory has no room for is not put there.
TEST(KvMemory, countsInTheComputersMemory) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .quant = "Q8_0"}, path));
    test::Faults faults;
    const auto load = [&](KvMemory memory) {
        return Model::load(
            test::opened(path),
            {.backend = BackendChoice::Vulkan, .contextTokens = kKvContext, .kvMemory = memory}, nullptr,
            test::faultyDevices(faults), test::unchecked);
    };
    const auto opened = openModel(test::opened(path), {.contextTokens = kKvContext}).value();
    const uint64_t conversation = opened->info.memory.cacheBytes;
    const uint64_t work = opened->info.memory.workBytes;
    ASSERT_GT(conversation, 0u);
    {
        const test::LittleMemory memory(uint64_t{8} << 30, work + conversation - 4096);
        EXPECT_TRUE(load(KvMemory::Device));
        EXPECT_EQ(faults.memoryMade.kvMemory, KvMemory::Device);
        const auto refused = load(KvMemory::Main);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
    }
    {
        const test::LittleMemory memory(uint64_t{8} << 30, work + conversation + 4096);
        EXPECT_TRUE(load(KvMemory::Main));
        EXPECT_EQ(faults.memoryMade.kvMemory, KvMemory::Main);
        EXPECT_EQ(faults.memoryMade.reservedTokens, kKvContext + backend::kPageTokens)
            << "one context is all there is room for";
    }
    ASSERT_TRUE(load(KvMemory::Main));
    EXPECT_EQ(faults.memoryMade.reservedTokens, 2 * kKvContext);
}

/// Layers move out where they can, and keys and values where they cannot.
TEST(KvMemory, overflowsWhereNoLayerCanMoveOut) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    const struct {
        const char* family;
        uint32_t numLayers;
        bool hasOwnMemory, overflows;
    } cases[] = {{"llama", 4, true, false},
                 {"llama", 4, false, true},
                 {"llama", 1, true, true},
                 {"gemma4", 4, true, false}};  // no layer can move out, but experts can
    for (const auto& [family, numLayers, hasOwnMemory, overflows] : cases) {
        SCOPED_TRACE(family);
        lab::SynthOptions options{.family = family, .quant = "Q8_0"};
        options.sizes.numLayers = numLayers;
        ASSERT_TRUE(lab::writeSynthModel(options, path));
        test::Faults faults;
        faults.hasOwnMemory = hasOwnMemory;
        ASSERT_TRUE(Model::load(test::opened(path), {.contextTokens = 256}, nullptr,
                                test::faultyDevices(faults), test::unchecked));
        EXPECT_EQ(faults.memoryMade.kvMayOverflow, overflows);
    }
}

}  // namespace
}  // namespace ingle::session
