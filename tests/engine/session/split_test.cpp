/// A model whose last layers a device computes, and whose first ones the processor: the same bits as in one
/// piece, whatever is done with its sequences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/split/split_backend.h"
#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "tests/engine/backend/plan_runner.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/engine/session/half_device.h"
#include "tests/engine/session/model_runs.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"
#include "tests/test_name.h"

namespace ingle::session {
namespace {

using test::RecordingSink;

std::vector<TokenId> someTokens(int count) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < count; ++i) tokens.push_back((i * 37 + 11) % 320);
    return tokens;
}

std::vector<std::string> familiesOfKind(bool encoders) {
    std::vector<std::string> names;
    for (const models::ModelFamily* family : models::allFamilies())
        if ((family->kind == models::FamilyKind::Encoder) == encoders) names.emplace_back(family->arch);
    return names;
}

class SplitFamilies : public testing::TestWithParam<std::string> {
  protected:
    std::string write(uint32_t numLayers) {
        const std::string path = m_folder.file("model.gguf");
        lab::SynthOptions options{.family = GetParam(), .quant = "Q8_0"};
        options.sizes.numLayers = numLayers;
        EXPECT_TRUE(lab::writeSynthModel(options, path));
        return path;
    }
    static std::unique_ptr<Model> load(const std::string& path, DeviceFactory device) {
        auto model = Model::load(test::opened(path), {.threads = 1, .contextTokens = 1024}, nullptr,
                                 std::move(device), test::unchecked);
        EXPECT_TRUE(model) << model.error().message;
        return std::move(*model);
    }

    /// Late layers may read the keys and values of early ones.
    static bool canBeSplit(const Model& model) {
        const backend::Plan plan = lowerModel(model.opened(), {}, 4, 4);
        const bool can = std::ranges::any_of(std::array{1u, 2u, 3u}, [&](uint32_t layers) {
            return backend::split::splitBehind(layers, plan, model.memorySpec()).has_value();
        });
        EXPECT_TRUE(can || GetParam() == "gemma4");
        return can;
    }

    test::TemporaryFolder m_folder;
};

TEST_P(SplitFamilies, allWaysGiveTheSameBits) {
    const std::string path = write(4);
    const auto whole = load(path, createDevice);
    const auto split = load(path, test::halfDevices());
    ASSERT_EQ(split->info().backend, canBeSplit(*whole) ? "split" : "cpu") << split->info().deviceNote;
    if (!canBeSplit(*whole)) return;
    EXPECT_THAT(
        split->info().deviceNote,
        testing::MatchesRegex(
            "([1-3] of 4 layers are on|The processor computes the experts of [1-4] of 4 layers,) .*"));
    const std::vector<TokenId> tokens = someTokens(150);
    const std::vector<float> expected = test::logitsInChunks(*whole, tokens, 64);
    for (const size_t chunk : {64u, 7u, 1u})
        EXPECT_EQ(test::logitsInChunks(*split, tokens, chunk), expected) << chunk;
    EXPECT_EQ(test::logitsOverSaveAndRestore(*split, tokens), expected);
    EXPECT_EQ(test::logitsOverALateSave(*split, tokens), expected);
    EXPECT_EQ(test::logitsBesideSevenOthers(*split, tokens), expected);
    EXPECT_EQ(test::logitsOfAFork(*split, tokens), expected);
    EXPECT_EQ(test::logitsBehindGuesses(*split, tokens), expected);
    // The negative twin.
    std::vector<TokenId> other = tokens;
    other[70] += 1;
    EXPECT_NE(test::logitsInChunks(*split, other, 64), expected);
}

/// Records on disk serve both.
TEST_P(SplitFamilies, savedStatesAreThoseOfTheWhole) {
    const std::string path = write(3);
    const auto whole = load(path, createDevice);
    const auto split = load(path, test::halfDevices());
    const std::vector<TokenId> tokens = someTokens(70);
    test::ModelRun right(*whole), ours(*split);
    right.feed(tokens, 64);
    ours.feed(tokens, 64);
    EXPECT_EQ(ours.sequence().firstKept(), right.sequence().firstKept());
    const backend::SavedState expected = right.sequence().save().value();
    backend::SavedState saved = ours.sequence().save().value();
    EXPECT_EQ(saved.bytes, expected.bytes);
    EXPECT_TRUE(backend::isFinite(saved, split->memorySpec()));
    const uint32_t last = right.sequence().length() - 1;
    EXPECT_EQ(ours.sequence().truncate(last).has_value(), right.sequence().truncate(last).has_value());
    saved.bytes.pop_back();
    const Status refused = ours.sequence().restore(saved);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(ours.sequence().length(), 0u);
    ASSERT_TRUE(ours.sequence().restore(expected));
    EXPECT_EQ(ours.sequence().save()->bytes, expected.bytes);
}

INSTANTIATE_TEST_SUITE_P(Table, SplitFamilies, testing::ValuesIn(familiesOfKind(false)),
                         [](const auto& family) { return test::testName(family.param); });

/// A text is one step.
TEST(SplitEncoders, giveTheSameBits) {
    const test::TemporaryFolder folder;
    const auto processor = [] {
        return std::shared_ptr(backend::cpu::createCpuBackend({.threads = 1, .isa = base::Isa::Scalar}));
    };
    for (const std::string& family : familiesOfKind(true)) {
        SCOPED_TRACE(family);
        const std::string path = folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = family, .quant = "Q8_0"}, path));
        const auto opened = openModel(test::opened(path), {}).value();
        const backend::MemorySpec memory = opened->bound.definition->memory();
        const backend::Plan plan = lowerModel(*opened, {}, 40, 40);
        auto point = backend::split::splitBehind(1, plan, memory);
        ASSERT_TRUE(point) << point.error().message;
        const auto whole = processor();
        const auto split = backend::split::createSplitBackend(processor(), processor(), *std::move(point));
        backend::PlanRunner right(*whole, plan, memory), ours(*split, plan, memory);
        const std::vector<TokenId> tokens = someTokens(30);
        EXPECT_EQ(ours.feed(*ours.sequence(), tokens, 30), right.feed(*right.sequence(), tokens, 30));
    }
}

TEST(Split, whatIsNoPlaceForACutIsRefused) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    ASSERT_TRUE(lab::writeSynthModel({}, path));
    const auto opened = openModel(test::opened(path), {}).value();
    const backend::MemorySpec memory = opened->bound.definition->memory();
    backend::Plan plan = lowerModel(*opened, {}, 4, 4);
    ASSERT_EQ(plan.layerEnds.size(), 2u);
    EXPECT_TRUE(backend::split::splitBehind(1, plan, memory));
    for (const uint32_t layers : {0u, 2u, 3u}) {
        const auto refused = backend::split::splitBehind(layers, plan, memory);
        ASSERT_FALSE(refused) << layers;
        EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    }
    // The last layer reads the keys and values of the first one.
    for (backend::Op& op : plan.ops)
        if (auto* attention = std::get_if<backend::AttentionParams>(&op.params)) attention->layer = 0;
    EXPECT_FALSE(backend::split::splitBehind(1, plan, memory));
    plan.layerEnds.clear();
    EXPECT_FALSE(backend::split::splitBehind(1, plan, memory));
}

/// Where only some layers see everything, the others keep all pages as well, on whichever side they are.
TEST(Split, windowsGiveNoPageBackThatTheWholeKeeps) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    lab::SynthOptions options{.family = "gemma2"};  // every second layer has a window
    ASSERT_TRUE(lab::writeSynthModel(options, path));
    const auto opened = openModel(test::opened(path), {}).value();
    const backend::MemorySpec memory = opened->bound.definition->memory();
    ASSERT_GT(memory.kv[0].window, 0u);
    ASSERT_EQ(memory.window(), 0u);
    const auto cut = backend::split::cutMemory(lowerModel(*opened, {}, 4, 4), memory, 1).value();
    EXPECT_EQ(cut.front.spec.window(), 0u);
    EXPECT_EQ(cut.back.spec.window(), 0u);
}

/// A model on a device that has its own memory, with room for some of it.
class SplitPlacement : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        lab::SynthOptions options{.family = GetParam(), .quant = "Q8_0"};
        options.sizes.numLayers = 4;
        ASSERT_TRUE(lab::writeSynthModel(options, m_path));
        const auto opened = openModel(test::opened(m_path), {}).value();
        const backend::MemorySpec memory = opened->bound.definition->memory();
        m_faults.hasOwnMemory = true;
        m_faults.room = backend::neededBytes(memory, {KvType::F16, kContext, backend::kLeastSequences}) / 2;
    }
    Result<std::unique_ptr<Model>> load(LoadOptions options = {}) {
        options.threads = 1;
        options.contextTokens = kContext;
        return Model::load(test::opened(m_path), options, nullptr, test::faultyDevices(m_faults),
                           test::unchecked);
    }
    static GenerateRequest request() {
        GenerateRequest text;
        text.rawTokens = someTokens(90);
        text.sampler = {.temperature = 0.9f, .repeatPenalty = 1.3f, .seed = 5};
        text.maxTokens = 6;
        return text;
    }
    static RecordingSink& answer(Scheduler& scheduler, RecordingSink& sink) {
        sink.id = scheduler.submit(request(), sink);
        while (scheduler.step()) {
        }
        return sink;
    }

    static constexpr uint32_t kContext = 256;
    test::TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("model.gguf");
    test::Faults m_faults;
};

TEST_P(SplitPlacement, asManyLayersAsFitAreOnTheDevice) {
    const auto half = load();
    ASSERT_TRUE(half) << half.error().message;
    EXPECT_EQ((*half)->info().backend, "split");
    EXPECT_FALSE((*half)->info().onProcessor);
    EXPECT_EQ((*half)->info().deviceNote,
              "2 of 4 layers are on the graphics device, whose memory holds no more; the processor computes "
              "the others.");
    EXPECT_THAT((*half)->info().device, testing::StartsWith("The tested GPU (2 of 4 layers; the others: "));
    EXPECT_EQ(m_faults.memoryMade.firstTokens, kContext) << "no more than there was found room for";
    m_faults.room = m_faults.room * 3 / 2;
    EXPECT_THAT(load().value()->info().deviceNote, testing::StartsWith("3 of 4 layers"));
    m_faults.room *= 2;
    EXPECT_EQ(load().value()->info().backend, "faulty");
    m_faults.room = 1;
    EXPECT_EQ(load().value()->info().backend, "cpu");
}

/// An integrated device has no memory of its own: layers that it does not take would take as much there.
TEST_P(SplitPlacement, isOnlyForMemoryOfItsOwnOrALimit) {
    m_faults.hasOwnMemory = false;
    EXPECT_EQ(load().value()->info().backend, "cpu");
    EXPECT_EQ(load({.deviceBytes = 1 << 20}).value()->info().backend, "split");
}

/// What looked free was not.
TEST_P(SplitPlacement, anAllocationThatFailsMovesLayersOut) {
    m_faults.compile.code = ErrorCode::OutOfMemory;
    m_faults.compile.failing = {0};
    const auto fewer = load();
    ASSERT_TRUE(fewer) << fewer.error().message;
    EXPECT_THAT((*fewer)->info().deviceNote, testing::StartsWith("1 of 4 layers"));
    m_faults.compile.failing = {2, 3};
    EXPECT_EQ(load().value()->info().backend, "cpu");
}

/// Memory that is full in the middle of an answer moves layers out, not the chat.
TEST_P(SplitPlacement, anAnswerGoesOnWithFewerLayersOnTheDevice) {
    const auto processor =
        Model::load(test::opened(m_path), {.threads = 1, .contextTokens = kContext}, nullptr).value();
    Scheduler undisturbed(*processor, nullptr);
    RecordingSink expected;
    answer(undisturbed, expected);
    ASSERT_TRUE(expected.result);
    int timesFull = 0;
    for (int n = 1;; ++n) {  // the first step is that of the load
        SCOPED_TRACE(n);
        m_faults.reserve = {.failing = {n}, .code = ErrorCode::OutOfMemory};
        const auto model = load().value();
        ASSERT_THAT(model->info().deviceNote, testing::StartsWith("2 of 4 layers"));
        Scheduler scheduler(*model, nullptr);
        RecordingSink sink;
        answer(scheduler, sink);
        EXPECT_EQ(sink.ids, expected.ids);
        ASSERT_TRUE(sink.result);
        if (m_faults.reserve.calls <= n) break;
        ++timesFull;
        EXPECT_EQ(model->info().backend, "split");
        EXPECT_THAT(model->info().deviceNote, testing::StartsWith("1 of 4 layers"));
        ASSERT_EQ(sink.devices.size(), 1u);
        EXPECT_EQ(sink.devices[0].note, model->info().deviceNote);
    }
    EXPECT_GT(timesFull, 5);
}

/// A long conversation that fills the device moves layers out once: there is room for as much again then.
TEST(SplitGrowth, makesRoomForTheConversation) {
    constexpr uint32_t kPrompt = 4500, kContext = 16384;
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    lab::SynthOptions options{.family = "llama", .quant = "Q8_0"};
    options.sizes.numLayers = 4;
    ASSERT_TRUE(lab::writeSynthModel(options, path));
    test::Faults faults;
    faults.hasOwnMemory = true;
    const auto opened = openModel(test::opened(path), {}).value();
    // Three layers with what is usual at first.
    faults.room = 3 * (4096 * backend::cacheBytesPerToken(opened->shape.memory, KvType::F16) / 4);
    const auto model = Model::load(test::opened(path), {.threads = 1, .contextTokens = kContext}, nullptr,
                                   test::faultyDevices(faults), test::unchecked)
                           .value();
    ASSERT_THAT(model->info().deviceNote, testing::StartsWith("3 of 4 layers"));
    EXPECT_EQ(faults.memoryMade.firstTokens, 4096u);
    Scheduler scheduler(*model, nullptr);
    RecordingSink sink;
    GenerateRequest text;
    text.rawTokens = someTokens(kPrompt);
    text.maxTokens = 1;
    sink.id = scheduler.submit(text, sink);
    faults.reserve = {.failing = {66}, .code = ErrorCode::OutOfMemory};
    while (scheduler.step()) {
    }
    ASSERT_TRUE(sink.result);
    ASSERT_EQ(sink.devices.size(), 1u);
    EXPECT_THAT(model->info().deviceNote, testing::StartsWith("1 of 4 layers"));
    EXPECT_EQ(faults.memoryMade.firstTokens, 2 * kPrompt);
}

TEST_P(SplitPlacement, theProcessorGoesOnWhereTheDeviceFails) {
    const auto processor =
        Model::load(test::opened(m_path), {.threads = 1, .contextTokens = kContext}, nullptr).value();
    Scheduler undisturbed(*processor, nullptr);
    RecordingSink expected;
    answer(undisturbed, expected);
    ASSERT_TRUE(expected.result);
    for (const ErrorCode code : {ErrorCode::Device, ErrorCode::OutOfMemory}) {
        bool failed = true;
        for (int n = 1; failed; ++n) {  // the first run is that of the load
            SCOPED_TRACE(n);
            m_faults.run = {.failing = {}, .code = code};
            for (int i = 0; i < (code == ErrorCode::Device ? 1 : 10); ++i) m_faults.run.failing.insert(n + i);
            const auto model = load().value();
            ASSERT_EQ(model->info().backend, "split");
            Scheduler scheduler(*model, nullptr);
            RecordingSink sink;
            answer(scheduler, sink);
            failed = m_faults.run.calls > n;
            EXPECT_EQ(model->info().backend, failed ? "cpu" : "split");
            EXPECT_EQ(sink.ids, expected.ids);
            EXPECT_EQ(sink.text, expected.text);
            ASSERT_TRUE(sink.result);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Table, SplitPlacement, testing::Values("llama", "rwkv7", "qwen35"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle::session
