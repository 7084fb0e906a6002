/// Attention on the device: each of its features is the formula, row by row and in tiles.
#include <set>

#include "tests/engine/backend_vulkan/two_backends.h"
#include "tests/every_case.h"
#include "tests/windowed_memory.h"

namespace ingle::backend::vulkan {
namespace {

/// One of each feature, at a place where pages, tiles and splits end elsewhere.
const std::set<std::string> kOneOfEach{"narrow values", "large heads",    "window of 100",
                                       "chunks of 48",  "all of it",      "full, slopes",
                                       "prefix",        "values in keys", "full, chunks of 4"};

struct Cache {
    KvType type;
    double tolerance;
};

class AttentionTest : public TwoBackends {
  protected:
    void check(const test::AttentionCase& tried, const Cache& cache) {
        SCOPED_TRACE(tried.name);
        const test::AttentionProblem problem(tried);
        const auto tokens = test::attentionTokens(tried.numTokens);
        const auto expected = problem.formula(tried.right, tokens, tried.prefix);
        const auto mistaken = problem.formula(tried.wrong, tokens, tried.wrongPrefix);
        test::AttentionRun run(*vulkan, problem, cache.type);
        for (const size_t chunk : {size_t{1}, size_t{7}, tokens.size()}) {
            if (tried.right.mask == Mask::Full && chunk < tokens.size()) continue;
            SCOPED_TRACE(chunk);
            const auto y = run.feed(*run.sequence(), tokens, chunk, tried.prefix);
            EXPECT_LT(test::attentionError(y, expected), cache.tolerance);
            if (cache.type != KvType::F32) continue;
            EXPECT_GT(test::attentionError(y, mistaken), 10 * cache.tolerance);
        }
    }
};

TEST_F(AttentionTest, everyFeatureIsItsFormula) {
    for (const test::AttentionCase& tried : test::attentionCases())
        if (test::triesEveryCase() || kOneOfEach.contains(tried.name)) check(tried, {KvType::F32, 1e-9});
}

TEST_F(AttentionTest, keysAndValuesOfDifferentWidthsInEveryCache) {
    for (const test::AttentionCase& tried : test::attentionCases()) {
        if (tried.name == "all of it") check(tried, {KvType::F16, 1e-6});
        if (tried.name == "large heads") check(tried, {KvType::Q8, 1e-4});
    }
}

/// So long that many workgroups share a row's keys, but not all of those that there are room for.
test::AttentionCase longCase(uint32_t window) {
    test::AttentionCase tried{"long", {0, 4, 2, 16, 16, 0.3F}, {}, 1300};
    tried.right.window = window;
    tried.right.hasSinks = true;
    tried.wrong = tried.right;
    tried.wrong.scale *= 1.05F;
    return tried;
}

/// The last rows of a long context, one by one and eight at a time, which gives the same bits.
void checkLastRows(OpenedBackend& vulkan, const test::AttentionCase& tried, KvType cache, double tolerance) {
    constexpr size_t kLast = 12;
    SCOPED_TRACE(fmt::format("window of {}", tried.right.window));
    const test::AttentionProblem problem(tried);
    const auto tokens = test::attentionTokens(tried.numTokens);
    const size_t width = tried.right.numHeads * tried.right.valueDim;
    const auto lastOf = [&](const std::vector<double>& y) {
        return std::vector<double>(y.end() - static_cast<std::ptrdiff_t>(kLast * width), y.end());
    };
    const auto expected = lastOf(problem.formula(tried.right, tokens, 0));
    const auto mistaken = lastOf(problem.formula(tried.wrong, tokens, 0));
    EXPECT_GT(test::attentionError(std::vector<float>(mistaken.begin(), mistaken.end()), expected),
              100 * tolerance);
    test::AttentionRun run(vulkan, problem, cache);
    const auto sequence = run.sequence();
    run.feed(*sequence, std::span(tokens).first(tokens.size() - kLast), tokens.size());
    const auto other = sequence->fork(tried.numTokens - kLast).value();
    const auto alone = run.feed(*sequence, std::span(tokens).last(kLast), 1);
    EXPECT_LT(test::attentionError(alone, expected), tolerance);
    EXPECT_EQ(run.feed(*other, std::span(tokens).last(kLast), 8), alone);
}

TEST_F(AttentionTest, longContextsAreSharedOut) {
    for (const uint32_t window : {0U, 700U}) checkLastRows(*vulkan, longCase(window), KvType::F32, 1e-9);
}

TEST_F(AttentionTest, pagesThatNobodySeesAreGivenBack) {
    test::WindowedMemory(*vulkan, 1e-9).check(*vulkan);
}

/// Normalised squared error of rounding queries, keys, values and weights to 11 binary digits, with room for
/// what the scores make of it.
constexpr double kAttendedHalvesError = 3e-6;

/// With units for matrices.
class AttentionHalvesTest : public AttentionTest {
  protected:
    void SetUp() override {
        TwoBackends::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        if (!info.features.cooperativeMatrices) GTEST_SKIP() << "this device has no units for matrices";
        vulkan.reset();
        openVulkan({}, ActivationType::Auto);
    }

    /// Heads of these sizes, with scores as large as before.
    static test::AttentionCase resized(test::AttentionCase tried, uint32_t keyDim, uint32_t valueDim) {
        for (test::AttentionParams* params : {&tried.right, &tried.wrong}) {
            params->scale *= std::sqrt(static_cast<float>(params->keyDim) / static_cast<float>(keyDim));
            params->keyDim = keyDim;
            params->valueDim = valueDim;
        }
        return tried;
    }

    /// A mistake that rounding to halves does not hide.
    static test::AttentionCase coarser(test::AttentionCase tried) {
        if (tried.wrong.scale != tried.right.scale) tried.wrong.scale = 1.5F * tried.right.scale;
        if (tried.wrong.softCap != tried.right.softCap) tried.wrong.softCap = 0.5F * tried.right.softCap;
        if (tried.right.window > 0 && tried.wrong.window != tried.right.window)
            tried.wrong.window += tried.right.window / 10;
        return tried;
    }

    /// Whole, in pieces that end inside of tiles, and beside other sequences.
    void checkHalves(const test::AttentionCase& tried, KvType cache, double tolerance) {
        SCOPED_TRACE(fmt::format("{}, {} of {}", tried.name, tried.right.keyDim, tried.right.valueDim));
        const test::AttentionProblem problem(tried);
        const auto tokens = test::attentionTokens(tried.numTokens);
        const auto expected = problem.formula(tried.right, tokens, tried.prefix);
        test::AttentionRun run(*vulkan, problem, cache);
        for (const size_t chunk : {size_t{1}, size_t{39}, tokens.size()}) {
            if (tried.right.mask == Mask::Full && chunk < tokens.size()) continue;
            SCOPED_TRACE(chunk);
            const auto y = run.feed(*run.sequence(), tokens, chunk, tried.prefix);
            const double error = test::attentionError(y, expected);
            EXPECT_LT(error, tolerance);
            const bool isInFloats = m_staged && chunk == 1;
            EXPECT_EQ(error > 1e-9, cache != KvType::F32 || !isInFloats) << "in halves";
        }
        const auto mistaken = problem.formula(tried.wrong, tokens, tried.wrongPrefix);
        const std::vector<float> rounded(mistaken.begin(), mistaken.end());
        if (test::attentionError(rounded, expected) <= 1000 * tolerance) m_unnoticed.push_back(tried.name);
        if (tried.right.mask == Mask::Full || tried.prefix > 0) return;
        const auto first = run.sequence(), second = run.sequence(), third = run.sequence();
        run.feed(*second, std::span(tokens).first(70), 70);
        std::vector<TokenId> fed(tokens.begin(), tokens.begin() + 21);
        fed.insert(fed.end(), tokens.begin() + 70, tokens.begin() + 71);
        fed.insert(fed.end(), tokens.begin(), tokens.begin() + 90);
        const SequenceRun runs[] = {{first.get(), 21}, {second.get(), 1}, {third.get(), 90}};
        const auto y = run.step(fed, runs);
        const auto width = static_cast<std::ptrdiff_t>(expected.size() / tokens.size());
        std::vector<double> wanted(expected.begin(), expected.begin() + 21 * width);
        wanted.insert(wanted.end(), expected.begin() + 70 * width, expected.begin() + 71 * width);
        wanted.insert(wanted.end(), expected.begin(), expected.begin() + 90 * width);
        EXPECT_LT(test::attentionError(y, wanted), tolerance);
    }

    /// From now on scores pass through shared memory.
    void stage() {
        ASSERT_TRUE(vulkan->simplify());
        m_staged = true;
    }

    /// Of those checked: whose mistakes would not have been noticed far beyond the tolerance.
    std::vector<std::string> m_unnoticed;
    bool m_staged = false;
};

TEST_F(AttentionHalvesTest, everyFeatureIsItsFormula) {
    for (const bool staged : {false, true}) {
        SCOPED_TRACE(staged);
        if (staged) stage();
        m_unnoticed.clear();
        for (const test::AttentionCase& tried : test::attentionCases()) {
            if (tried.right.keyDim != 16 || tried.numTokens != 150) continue;
            if (!test::triesEveryCase() && !kOneOfEach.contains(tried.name)) continue;
            checkHalves(coarser(resized(tried, 32, 32)), KvType::F16, kAttendedHalvesError);
        }
        EXPECT_EQ(m_unnoticed, std::vector<std::string>());
    }
}

TEST_F(AttentionHalvesTest, headsOfManySizesInEveryCache) {
    const auto cases = test::attentionCases();
    const auto all = std::ranges::find(cases, "all of it", &test::AttentionCase::name);
    std::vector<std::pair<uint32_t, uint32_t>> sizes{{80, 64}};
    if (test::triesEveryCase()) sizes = {{64, 128}, {96, 96}, {112, 112}, {128, 128}, {192, 128}, {256, 256}};
    for (const bool staged : {false, true}) {
        SCOPED_TRACE(staged);
        if (staged) stage();
        for (const auto& [keyDim, valueDim] : sizes)
            checkHalves(resized(*all, keyDim, valueDim), KvType::F16, kAttendedHalvesError);
        checkHalves(resized(*all, 32, 48), KvType::F32, kAttendedHalvesError);
        checkHalves(resized(*all, 64, 32), KvType::Q8, 1e-4);
    }
}

TEST_F(AttentionHalvesTest, longContextsAreSharedOut) {
    for (const uint32_t window : {0U, 700U})
        checkLastRows(*vulkan, resized(longCase(window), 32, 32), KvType::F16, kAttendedHalvesError);
}

TEST_F(AttentionHalvesTest, moreHeadsThanAMatrixHasRows) {
    const auto cases = test::attentionCases();
    const auto many = std::ranges::find(cases, "many heads of one key", &test::AttentionCase::name);
    checkHalves(resized(*many, 16, 16), KvType::F16, kAttendedHalvesError);
}

TEST(MatrixLayouts, areFoundWhereTheyHelp) {
    const MatrixUnits units{16, 16, 16, 32};
    const auto found = [&](auto placeOf) {
        std::vector<uint32_t> words;
        for (uint32_t lane = 0; lane < 32; ++lane)
            for (uint32_t j = 0; j < 8; ++j) words.push_back(placeOf(lane, j));
        for (uint32_t i = 0; i < 256; ++i) words.push_back(i);
        return words;
    };
    // As on a card of NVIDIA's: pairs in a row of four lanes; rows r and r + 8.
    const auto nvidia = found([](uint32_t lane, uint32_t j) {
        const uint32_t row = lane / 4 + 8 * (j >> 1 & 1), column = lane % 4 * 2 + j % 2 + 8 * (j >> 2);
        return row * 16 + column;
    });
    EXPECT_EQ(layoutOf(units, nvidia), (MatrixLayout{2, 1, 3}));
    const auto rows = found([](uint32_t lane, uint32_t j) { return lane / 2 * 16 + lane % 2 * 8 + j; });
    EXPECT_EQ(layoutOf(units, rows), (MatrixLayout{1, 0, 1}));
    const auto columns =
        found([](uint32_t lane, uint32_t j) { return (lane / 16 * 8 + j) * 16 + lane % 16; });
    EXPECT_EQ(layoutOf(units, columns), (MatrixLayout{8, 0, 15}));
    const auto scattered = found([](uint32_t lane, uint32_t j) { return (lane * 8 + j) * 37 % 256; });
    EXPECT_EQ(layoutOf(units, scattered), std::nullopt);
    const auto twice = found([](uint32_t lane, uint32_t j) { return lane / 4 * 32 + lane % 2 * 8 + j; });
    EXPECT_EQ(layoutOf(units, twice), std::nullopt);
    auto unlike = nvidia;
    std::swap(unlike[300], unlike[301]);
    EXPECT_EQ(layoutOf(units, unlike), std::nullopt) << "of left factors";
    EXPECT_EQ(layoutOf({16, 8, 16, 32}, nvidia), std::nullopt);
}

}  // namespace
}  // namespace ingle::backend::vulkan
