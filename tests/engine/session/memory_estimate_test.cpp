/// What is said before a load: needs, chosen contexts, limits of pools, and what would help. Whether what is
/// said is true is measured by tests/e2e/memory_measure.py.
#include "engine/session/loading/memory_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session/loading/model.h"

namespace ingle::session {
namespace {

using base::SystemMemory;

constexpr uint64_t kMB = 1'000'000, kGB = 1000 * kMB;

/// Like a model of 7 billion weights: 128 KiB for each token in f16.
ModelShape transformer(uint64_t weightBytes = 4 * kGB) {
    ModelShape shape{.weightBytes = weightBytes, .workBytes = 100 * kMB, .trainedContext = 32768};
    shape.memory.kv.assign(32, {1024, 1024});
    return shape;
}

ModelShape recurrent() {
    ModelShape shape{.weightBytes = 4 * kGB, .workBytes = 100 * kMB};
    shape.memory.states.assign(32, {"wkv", 64 * 64 * 64});
    return shape;
}

SystemMemory computer(uint64_t usable, uint64_t available) {
    return {usable, usable, available};
}

uint32_t chosen(const ModelShape& shape, uint64_t usable, uint64_t available, KvType kv = KvType::F16) {
    return chooseContext(shape, kv, computer(usable, available));
}

MemoryEstimate estimate(const ModelShape& shape, uint32_t context, uint64_t available,
                        KvType kv = KvType::F16) {
    const auto system = computer(std::max(available, 8 * kGB), available);
    return estimateMemory(shape, kv, context, poolLimits(shape, kv, context, 9, system), system);
}

std::vector<FitRemedy> remedies(const MemoryEstimate& estimate) {
    std::vector<FitRemedy> remedies;
    for (const FitChoice& choice : estimate.choices) remedies.push_back(choice.remedy);
    return remedies;
}

TEST(MemoryEstimate, aConversationIsItsPagesOrItsStates) {
    EXPECT_EQ(conversationBytes(transformer(), KvType::F16, 4096), uint64_t{4096} * 131072);
    EXPECT_EQ(conversationBytes(transformer(), KvType::F16, 65), uint64_t{128} * 131072);
    EXPECT_LT(conversationBytes(transformer(), KvType::Q8, 4096),
              conversationBytes(transformer(), KvType::F16, 4096) * 6 / 10);
    EXPECT_EQ(conversationBytes(recurrent(), KvType::F16, 0), uint64_t{32} * 64 * 64 * 64 * 4);
}

TEST(MemoryEstimate, aConversationInWindowsIsWhatIsKept) {
    ModelShape shape = transformer();
    for (backend::KvLayerSpec& layer : shape.memory.kv) layer.window = 1024;
    // The window, what may be taken back, a step, and what is left of a page.
    const uint32_t kept = 1024 + backend::kRewindTokens + 64 + Model::kStepTokens;
    const uint64_t pages = (kept + 63) / 64;
    EXPECT_EQ(conversationBytes(shape, KvType::F16, 4096), pages * 64 * 131072);
    EXPECT_EQ(conversationBytes(shape, KvType::F16, 16384), pages * 64 * 131072);
    EXPECT_EQ(conversationBytes(shape, KvType::F16, 1000), uint64_t{1024} * 131072);
    EXPECT_EQ(poolLimits(shape, KvType::F16, 4096, 9, std::nullopt).tokens, 9 * kept);
    // One layer that sees everything keeps everything.
    shape.memory.kv[7].window = 0;
    EXPECT_EQ(conversationBytes(shape, KvType::F16, 4096), uint64_t{4096} * 131072);
}

TEST(ChooseContext, growsWithTheComputer) {
    EXPECT_EQ(chosen(transformer(), 8 * kGB, 7 * kGB), 4096u);
    EXPECT_EQ(chosen(transformer(), 16 * kGB, 12 * kGB), 16384u);
    EXPECT_EQ(chosen(transformer(), 64 * kGB, 60 * kGB), 16384u);
    EXPECT_EQ(chooseContext(transformer(), KvType::F16, std::nullopt), 4096u);
    EXPECT_EQ(chosen(recurrent(), 8 * kGB, 7 * kGB), 0u);
}

TEST(ChooseContext, isNoLongerThanTheModelWasTrainedWith) {
    ModelShape shape = transformer();
    shape.trainedContext = 3000;
    EXPECT_EQ(chosen(shape, 64 * kGB, 60 * kGB), 3000u);
    shape.trainedContext = 0;  // not stated
    EXPECT_EQ(chosen(shape, 64 * kGB, 60 * kGB), 4096u);
}

TEST(ChooseContext, isTheSameWhateverIsFreeWhileItFits) {
    for (const uint64_t available : {11 * kGB, 9 * kGB, 7 * kGB})
        EXPECT_EQ(chosen(transformer(), 16 * kGB, available), 16384u) << available;
    EXPECT_EQ(chosen(transformer(), 16 * kGB, 5 * kGB), 4096u);
    EXPECT_EQ(chosen(transformer(), 16 * kGB, 4400 * kMB), 2048u);
    EXPECT_EQ(chosen(transformer(), 16 * kGB, 1 * kGB), 2048u) << "shorter only when somebody wants that";
}

TEST(ChooseContext, thinkingModelsGetRoom) {
    ModelShape shape = transformer();
    shape.thinks = true;
    EXPECT_EQ(chosen(shape, 8 * kGB, 7 * kGB), 8192u);
    EXPECT_EQ(chosen(shape, 8 * kGB, 4700 * kMB), 4096u) << "as far as memory is free";
}

TEST(PoolLimits, followWhatIsFree) {
    const auto tokens = [](uint64_t available) {
        return poolLimits(transformer(), KvType::F16, 4096, 9, computer(8 * kGB, available)).tokens;
    };
    EXPECT_EQ(tokens(64 * kGB), 9 * 4096u);
    EXPECT_EQ(tokens(4100 * kMB + 500 * kMB + 2 * 4096 * uint64_t{131072}), 2 * 4096u);
    EXPECT_EQ(tokens(1 * kGB), 4096u + 64) << "one context at least, and a page to copy to";
    EXPECT_EQ(poolLimits(recurrent(), KvType::F16, 0, 9, computer(8 * kGB, 64 * kGB)).sequences, 18u);
    EXPECT_EQ(poolLimits(recurrent(), KvType::F16, 0, 9, computer(8 * kGB, 4700 * kMB)).sequences, 2u);
}

TEST(MemoryEstimate, theMostIsWhatThePoolMayGrowTo) {
    const MemoryEstimate free = estimate(transformer(), 4096, 32 * kGB);
    EXPECT_EQ(free.mostBytes - free.weightBytes - free.workBytes, 9 * free.cacheBytes);
    const MemoryEstimate tight = estimate(transformer(), 4096, 6 * kGB);
    EXPECT_TRUE(tight.fits());
    EXPECT_LE(tight.mostBytes, 6 * kGB);
    EXPECT_GT(tight.mostBytes, tight.needBytes());
}

TEST(MemoryEstimate, choicesAreOnlyThoseThatHelp) {
    EXPECT_TRUE(estimate(transformer(), 4096, 5 * kGB).choices.empty());
    // 4.64 GB are needed: the weights and work are 4.1.
    const MemoryEstimate little = estimate(transformer(), 4096, 4500 * kMB);
    EXPECT_FALSE(little.fits());
    EXPECT_EQ(remedies(little), (std::vector{FitRemedy::ShorterContext, FitRemedy::SmallerCache}));
    EXPECT_EQ(little.choices[0].contextTokens, 2048u);
    EXPECT_EQ(little.choices[1].contextTokens, 4096u);
    EXPECT_EQ(little.choices[1].kv, KvType::Q8);
    for (const FitChoice& choice : little.choices) EXPECT_LE(choice.needBytes, 4500 * kMB);
    // Both together.
    const MemoryEstimate both = estimate(transformer(), 4096, 4140 * kMB);
    ASSERT_EQ(remedies(both), (std::vector{FitRemedy::ShorterContext}));
    EXPECT_EQ(both.choices[0].kv, KvType::Q8);
    EXPECT_TRUE(estimate(transformer(), 4096, 3 * kGB).choices.empty()) << "nothing here would do";
    EXPECT_TRUE(estimate(recurrent(), 0, 3 * kGB).choices.empty());
}

TEST(MemoryEstimate, aLargeFileCanBeMadeSmaller) {
    ModelShape shape = transformer(14 * kGB);
    shape.smallerBytes = 4 * kGB;
    const MemoryEstimate fits = estimate(shape, 4096, 5 * kGB);
    ASSERT_EQ(remedies(fits), (std::vector{FitRemedy::SmallerModel}));
    EXPECT_EQ(fits.choices[0].quant, "Q4_K_M");
    EXPECT_EQ(fits.choices[0].contextTokens, 4096u);
    EXPECT_EQ(estimate(shape, 4096, 4500 * kMB).choices[0].contextTokens, 2048u);
    EXPECT_TRUE(estimate(shape, 4096, 4 * kGB).choices.empty());
}

TEST(MemoryEstimate, nothingIsRefusedWhereNothingIsKnown) {
    const auto limits = poolLimits(transformer(), KvType::F16, 4096, 9, std::nullopt);
    EXPECT_EQ(limits.tokens, 9 * 4096u);
    EXPECT_TRUE(estimateMemory(transformer(), KvType::F16, 4096, limits, std::nullopt).fits());
    // And everything where nothing is free.
    EXPECT_FALSE(estimate(transformer(), 4096, 0).fits());
}

TEST(MemoryEstimate, theRefusalNamesTheNumbers) {
    EXPECT_EQ(
        refusalOf(estimate(transformer(), 4096, 4500 * kMB), "Test 7B"),
        "Test 7B needs 4.6 GB of memory (537 MB of them for the conversation), but 4.5 GB of 8.0 GB are "
        "free");
}

TEST(MemoryEstimate, theFullNeedDoesNotDependOnWhatIsFree) {
    const ModelShape shape = transformer();
    const auto need = [&](uint64_t usable, uint64_t available, uint32_t asked = 0) {
        LoadOptions options;
        options.contextTokens = asked;
        return fullNeed(shape, options, computer(usable, available));
    };
    const uint64_t model = shape.weightBytes + shape.workBytes;
    EXPECT_EQ(need(32 * kGB, 32 * kGB), model + conversationBytes(shape, KvType::F16, 16384));
    EXPECT_EQ(need(32 * kGB, 5 * kGB), need(32 * kGB, 32 * kGB)) << "though a shorter one would be chosen";
    EXPECT_EQ(need(32 * kGB, 5 * kGB, 1024), model + conversationBytes(shape, KvType::F16, 1024));
    EXPECT_LT(need(8 * kGB, 8 * kGB), need(32 * kGB, 32 * kGB));
}

TEST(MemoryEstimate, aShareIsLeftToOthers) {
    EXPECT_TRUE(leavesShare(15 * kGB, computer(16 * kGB, 16 * kGB)));
    EXPECT_FALSE(leavesShare(15 * kGB + 1, computer(16 * kGB, 16 * kGB)));
    EXPECT_TRUE(leavesShare(3 * kGB, computer(16 * kGB, 4 * kGB)));
    EXPECT_FALSE(leavesShare(3 * kGB + 1, computer(16 * kGB, 4 * kGB)));
    EXPECT_FALSE(leavesShare(0, computer(16 * kGB, kGB / 2)));
}

}  // namespace
}  // namespace ingle::session
