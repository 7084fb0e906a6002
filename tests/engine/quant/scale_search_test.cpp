#include "engine/quant/scale_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "engine/base/cpu_features.h"
#include "engine/quant/grids/iq4.h"

namespace ingle::quant {

extern const ScaleKernels baselineScaleKernels;
extern const ScaleKernels avx2ScaleKernels;
extern const ScaleKernels avx512ScaleKernels;

namespace {

constexpr LevelSet kNibbles{-8, 7};

struct Group {
    std::vector<float> x;
    std::vector<float> w;

    Group(uint32_t seed, size_t size) : x(size), w(size, 1) {
        std::mt19937 generator(seed);
        std::normal_distribution<float> normal;
        for (float& value : x) value = normal(generator);
    }
    ScaleGroup view() const { return {x.data(), w.data(), x.size()}; }

    double errorOf(const ScaleAndOffset& fit, int32_t low, int32_t high) const {
        std::vector<int8_t> levels(x.size());
        roundTo(x, fit, low, high, levels.data());
        double error = 0;
        for (size_t i = 0; i < x.size(); ++i)
            error += double{w[i]} * std::pow(double{fit.scale} * levels[i] - fit.min - x[i], 2);
        return error;
    }
};

TEST(ScaleSearch, nearestLevelRoundsTiesToEvenAndClamps) {
    EXPECT_EQ(nearestLevel(2.5F, 0, 15), 2);
    EXPECT_EQ(nearestLevel(3.5F, 0, 15), 4);
    EXPECT_EQ(nearestLevel(-2.5F, -32, 31), -2);
    EXPECT_EQ(nearestLevel(-2.6F, -32, 31), -3);
    EXPECT_EQ(nearestLevel(99, 0, 15), 15);
    EXPECT_EQ(nearestLevel(-99, 0, 15), 0);
    const float inf = std::numeric_limits<float>::infinity();
    EXPECT_EQ(nearestLevel(inf, -32, 31), 31);
    EXPECT_EQ(nearestLevel(-inf, -32, 31), -32);
    EXPECT_EQ(nearestLevel(std::numeric_limits<float>::quiet_NaN(), -32, 31), -32);
}

TEST(ScaleSearch, comesCloseToTheBestScaleOfAll) {
    double found = 0;
    double obvious = 0;
    double best = 0;
    for (uint32_t seed = 0; seed < 50; ++seed) {
        const Group group(seed, 32);
        const float extreme =
            *std::ranges::max_element(group.x, [](float a, float b) { return std::abs(a) < std::abs(b); });
        found += group.errorOf({scaleKernels().fitScale(group.view(), kNibbles), 0}, -8, 7);
        obvious += group.errorOf({extreme / -8, 0}, -8, 7);
        double least = std::numeric_limits<double>::infinity();
        for (int t = -2000; t <= 2000; ++t)
            least = std::min(least, group.errorOf({static_cast<float>(t) * 2e-4F, 0}, -8, 7));
        best += least;
    }
    EXPECT_LT(found, 0.95 * obvious);
    EXPECT_LT(found, 1.01 * best);
}

TEST(ScaleSearch, isBetterThanTheObviousLine) {
    double found = 0;
    double obvious = 0;
    for (uint32_t seed = 0; seed < 100; ++seed) {
        const Group group(seed, 32);
        const auto [low, high] = std::ranges::minmax(group.x);
        const ScaleAndOffset fit = scaleKernels().fitLine(group.view(), 15, Offset::NeverNegative);
        EXPECT_GE(fit.min, 0);
        found += group.errorOf(fit, 0, 15);
        obvious += group.errorOf({(high - low) / 15, -low}, 0, 15);
    }
    EXPECT_LT(found, 0.85 * obvious);
}

TEST(ScaleSearch, valuesOnALineAreFound) {
    Group group(0, 16);
    for (size_t i = 0; i < group.x.size(); ++i) group.x[i] = 0.25F * static_cast<float>(i * 7 % 16) - 1.5F;
    for (const Offset offset : {Offset::Any, Offset::NeverNegative}) {
        const ScaleAndOffset fit = scaleKernels().fitLine(group.view(), 15, offset);
        EXPECT_NEAR(fit.scale, 0.25, 1e-5);
        EXPECT_NEAR(fit.min, 1.5, 1e-5);
    }
}

TEST(ScaleSearch, theMinIsNeverNegativeUnlessItMayBe) {
    for (uint32_t seed = 0; seed < 100; ++seed) {
        Group group(seed, 32);
        for (float& value : group.x) value += 8;
        const ScaleAndOffset fit = scaleKernels().fitLine(group.view(), 15, Offset::NeverNegative);
        EXPECT_GE(fit.min, 0);
        EXPECT_GT(fit.scale, 0);
        const ScaleAndOffset any = scaleKernels().fitLine(group.view(), 15, Offset::Any);
        EXPECT_LT(any.min, 0);
        EXPECT_LT(group.errorOf(any, 0, 15), group.errorOf(fit, 0, 15));
    }
}

TEST(ScaleSearch, zerosHaveNoScale) {
    Group group(0, 16);
    std::ranges::fill(group.x, 0.0F);
    EXPECT_EQ(scaleKernels().fitScale(group.view(), kNibbles), 0);
    EXPECT_EQ(scaleKernels().fitLine(group.view(), 15, Offset::Any).scale, 0);
}

TEST(ScaleSearch, everyInstructionSetGivesTheSameBits) {
#if !defined(__x86_64__)
    GTEST_SKIP() << "there is one";
#else
    std::vector<const ScaleKernels*> others;
    if (base::isaSupported(base::Isa::Avx2)) others.push_back(&avx2ScaleKernels);
    if (base::isaSupported(base::Isa::Avx512)) others.push_back(&avx512ScaleKernels);
    const auto same = [](const auto& a, const auto& b) { return std::memcmp(&a, &b, sizeof a) == 0; };
    const LevelSet table = levelsOf(kIq4Levels);
    for (const ScaleKernels* each : others) {
        for (uint32_t seed = 0; seed < 50; ++seed) {
            Group group(seed, seed % 2 == 0 ? 16 : 32);
            for (size_t i = 0; i < group.w.size(); ++i) group.w[i] = static_cast<float>(i % 5) + 0.3F;
            const ScaleGroup view = group.view();
            const ScaleKernels& base = baselineScaleKernels;
            for (const LevelSet& levels : {kNibbles, table}) {
                EXPECT_TRUE(same(base.fitScale(view, levels), each->fitScale(view, levels)));
                EXPECT_TRUE(same(base.improveScale(view, levels, 0.01F, 7, -32, 31),
                                 each->improveScale(view, levels, 0.01F, 7, -32, 31)));
            }
            EXPECT_TRUE(same(base.fitLine(view, 15, Offset::Any), each->fitLine(view, 15, Offset::Any)));
            EXPECT_TRUE(same(base.improveLine(view, 15, {0.01F, 0.05F}, 20, 30, 63),
                             each->improveLine(view, 15, {0.01F, 0.05F}, 20, 30, 63)));
        }
    }
#endif
}

}  // namespace
}  // namespace ingle::quant
