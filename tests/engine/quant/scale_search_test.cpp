#include "engine/quant/scale_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace ingle::quant {
namespace {

std::vector<float> gaussianGroup(uint32_t seed, size_t size) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::vector<float> x(size);
    for (float& value : x) value = normal(generator);
    return x;
}

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

double weightedError(const std::vector<float>& x, const std::vector<float>& weights,
                     const ScaleAndOffset& fit, int32_t topLevel) {
    double error = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const auto level = static_cast<float>(nearestLevel((x[i] + fit.min) / fit.scale, 0, topLevel));
        error += weights[i] * std::pow(double{fit.scale} * level - fit.min - x[i], 2);
    }
    return error;
}

/// The range of the values divided by the number of steps, as a coder without a search would have it.
ScaleAndOffset obviousFit(const std::vector<float>& x, int32_t topLevel) {
    const auto [low, high] = std::ranges::minmax(x);
    return {(high - low) / static_cast<float>(topLevel), -low};
}

TEST(ScaleSearch, isBetterThanTheObviousScale) {
    double searched = 0;
    double obvious = 0;
    for (uint32_t seed = 0; seed < 100; ++seed) {
        const std::vector<float> x = gaussianGroup(seed, 32);
        std::vector<float> weights(x.size());
        magnitudeWeights(x, weights);
        const ScaleAndOffset fit =
            fitScaleAndOffset(x, weights, 15, {.first = -1, .stride = 0.1F, .count = 20});
        EXPECT_GE(fit.min, 0);
        searched += weightedError(x, weights, fit, 15);
        obvious += weightedError(x, weights, obviousFit(x, 15), 15);
    }
    EXPECT_LT(searched, 0.9 * obvious);
}

TEST(ScaleSearch, valuesOnALineAreFound) {
    std::vector<float> x;
    for (int level : {0, 3, 15, 7, 7, 1, 12, 9}) x.push_back(0.25F * static_cast<float>(level) - 1.5F);
    const std::vector<float> weights(x.size(), 1);
    const ScaleAndOffset fit = fitScaleAndOffset(x, weights, 15, {.first = -1, .stride = 0.1F, .count = 20});
    EXPECT_NEAR(fit.scale, 0.25, 1e-5);
    EXPECT_NEAR(fit.min, 1.5, 1e-5);
}

TEST(ScaleSearch, theMinIsNeverNegative) {
    for (uint32_t seed = 0; seed < 100; ++seed) {
        std::vector<float> x = gaussianGroup(seed, 32);
        for (float& value : x) value += 4;  // the best line would often start above zero
        const std::vector<float> weights(x.size(), 1);
        const ScaleAndOffset fit =
            fitScaleAndOffset(x, weights, 15, {.first = -1, .stride = 0.1F, .count = 20});
        EXPECT_GE(fit.min, 0);
        EXPECT_GT(fit.scale, 0);
    }
}

TEST(ScaleSearch, signedScaleLeavesLessThanTheObviousOne) {
    double searched = 0;
    double obvious = 0;
    for (uint32_t seed = 0; seed < 100; ++seed) {
        const std::vector<float> x = gaussianGroup(seed, 16);
        const auto errorOf = [&](float scale) {
            double error = 0;
            for (const float value : x) {
                const auto level = static_cast<float>(nearestLevel(value / scale, -8, 7));
                error += value * value * std::pow(scale * level - value, 2);
            }
            return error;
        };
        const float extreme =
            *std::ranges::max_element(x, [](float a, float b) { return std::abs(a) < std::abs(b); });
        searched += errorOf(fitSignedScale(x, 8));
        obvious += errorOf(extreme / -8);
    }
    EXPECT_LT(searched, 0.9 * obvious);
    EXPECT_EQ(fitSignedScale(std::vector<float>(16, 0.0F), 32), 0);
}

}  // namespace
}  // namespace ingle::quant
