/// Attention on the device: each of its features is the formula, row by row and in tiles.
#include <set>

#include "tests/engine/backend_vulkan/two_backends.h"
#include "tests/every_case.h"
#include "tests/windowed_memory.h"

namespace ingle::backend::vulkan {
namespace {

/// One of each feature, at a place where pages, tiles and splits end elsewhere.
const std::set<std::string> kOneOfEach{"narrow values", "large heads",  "window of 100", "chunks of 48",
                                       "all of it",     "full, slopes", "prefix",        "values in keys"};

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

TEST_F(AttentionTest, pagesThatNobodySeesAreGivenBack) {
    test::WindowedMemory(*vulkan, 1e-9).check(*vulkan);
}

}  // namespace
}  // namespace ingle::backend::vulkan
