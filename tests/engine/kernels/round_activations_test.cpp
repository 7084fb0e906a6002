#include "engine/kernels/ref/round_activations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "engine/base/cpu_features.h"
#include "engine/kernels/select.h"

namespace ingle::kernels {
namespace {

using Values = std::vector<float>;

std::vector<Values> cases() {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    std::vector<Values> all;
    for (int i = 0; i < 200; ++i) {
        Values values(kActivationBlock);
        const float size = std::exp2(static_cast<float>(i % 60 - 30));
        for (float& value : values) value = normal(random) * size;
        all.push_back(values);
    }
    Values ties(kActivationBlock);  // halves between two steps, when the largest is 127
    std::iota(ties.begin(), ties.end(), -15.5F);
    ties[0] = 127;
    all.push_back(ties);
    all.emplace_back(kActivationBlock, 0.0F);
    all.emplace_back(kActivationBlock, 1e-40F);
    all.emplace_back(kActivationBlock, -std::numeric_limits<float>::max());
    for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
        for (const size_t at : {0u, 17u, 31u}) {
            Values values = all.front();
            values[at] = bad;
            all.push_back(values);
        }
    }
    return all;
}

TEST(RoundActivations, referenceIsNearAndItsSumsAreThoseOfTheBytes) {
    for (const Values& values : cases()) {
        ActivationBlock block;
        roundActivationsRef(values.data(), values.size(), &block);
        const bool finite = std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
        EXPECT_EQ(std::isfinite(block.scale), finite);
        if (!finite) continue;
        for (size_t i = 0; i < values.size(); ++i) {
            EXPECT_LE(std::abs(double{block.scale} * block.q[i] - values[i]),
                      block.scale * 0.5001 + 0x1p-120);
        }
        const int first = std::accumulate(block.q, block.q + 16, 0);
        const int second = std::accumulate(block.q + 16, block.q + 32, 0);
        EXPECT_EQ(block.minusHalves[0], -first);
        EXPECT_EQ(block.minusHalves[1], -second);
        EXPECT_EQ(block.minusSum, -first - second);
        EXPECT_EQ(block.scaledSum, block.scale * static_cast<float>(first + second));
    }
}

TEST(RoundActivations, everyInstructionSetGivesTheSameBits) {
    for (const KernelEntry& entry : allKernels()) {
        if (entry.op != KernelOp::RoundActivations || !base::isaSupported(entry.isa)) continue;
        SCOPED_TRACE(base::isaName(entry.isa));
        for (const Values& values : cases()) {
            std::array<ActivationBlock, 2> expected;
            std::array<ActivationBlock, 2> actual;
            Values twice = values;
            twice.insert(twice.end(), values.rbegin(), values.rend());
            roundActivationsRef(twice.data(), twice.size(), expected.data());
            entry.fn.roundActivations(twice.data(), twice.size(), actual.data());
            EXPECT_EQ(std::memcmp(expected.data(), actual.data(), sizeof expected), 0);
        }
    }
}

}  // namespace
}  // namespace ingle::kernels
