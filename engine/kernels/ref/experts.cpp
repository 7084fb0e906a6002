#include "engine/kernels/ref/experts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ingle::kernels {
namespace {

constexpr float kNotOpen = std::numeric_limits<float>::quiet_NaN();
/// Sums of shares are never taken for less, so that dividing by them stays finite: the least normal half.
constexpr float kLeastSum = 6.103515625e-5F;

void softmax(float* values, size_t count) {
    const float largest = *std::max_element(values, values + count);
    float total = 0;
    for (size_t i = 0; i < count; ++i) {
        values[i] = std::exp(values[i] - largest);
        total += values[i];
    }
    for (size_t i = 0; i < count; ++i) values[i] /= total;
}

void computeScores(ExpertScores kind, const float* x, size_t count, float* scores) {
    switch (kind) {
        case ExpertScores::Softmax:
            std::copy_n(x, count, scores);
            softmax(scores, count);
            return;
        case ExpertScores::Sigmoid:
            for (size_t e = 0; e < count; ++e) scores[e] = 1 / (1 + std::exp(-x[e]));
            return;
        case ExpertScores::SqrtSoftplus:
            for (size_t e = 0; e < count; ++e)
                scores[e] = std::sqrt(std::max(x[e], 0.0F) + std::log1p(std::exp(-std::abs(x[e]))));
            return;
        case ExpertScores::SoftmaxOfChosen:
            std::copy_n(x, count, scores);
            return;
    }
}

/// The first of the largest, or `count` where none is open. Closes it.
size_t takeLargest(float* values, size_t count) {
    size_t best = count;
    for (size_t i = 0; i < count; ++i) {
        if (!std::isnan(values[i]) && (best == count || values[i] > values[best])) best = i;
    }
    if (best < count) values[best] = kNotOpen;
    return best;
}

float orLeast(float value) {
    return std::isnan(value) ? -std::numeric_limits<float>::infinity() : value;
}

/// The sum of the two largest, or the only one.
float twoBest(const float* values, size_t count) {
    float best = -std::numeric_limits<float>::infinity();
    float second = best;
    for (size_t i = 0; i < count; ++i) {
        second = std::max(second, std::min(best, values[i]));
        best = std::max(best, values[i]);
    }
    return orLeast(count == 1 ? best : best + second);
}

/// Closes the experts of all groups but the best. groupScores: [rule.groups].
void closeGroups(const RouteRule& rule, float* choice, size_t numExperts, float* groupScores) {
    const size_t size = numExperts / rule.groups;
    for (size_t group = 0; group < rule.groups; ++group)
        groupScores[group] = twoBest(choice + group * size, size);
    for (size_t used = 0; used < rule.groupsUsed; ++used) takeLargest(groupScores, rule.groups);
    for (size_t group = 0; group < rule.groups; ++group) {
        const bool taken = std::isnan(groupScores[group]);
        if (!taken) std::fill_n(choice + group * size, size, kNotOpen);
    }
}

/// Pairs of an id and a share, by ascending id; few.
void sortById(float* ids, float* shares, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        for (size_t at = i; at > 0 && ids[at] < ids[at - 1]; --at) {
            std::swap(ids[at], ids[at - 1]);
            std::swap(shares[at], shares[at - 1]);
        }
    }
}

}  // namespace

void routeExpertsRef(const RouteRule& rule, const float* x, const float* bias, const float* expertScale,
                     size_t numExperts, float* scratch, float* routing) {
    float* scores = scratch;
    float* choice = scratch + numExperts;
    float* ids = routing;
    float* shares = routing + rule.numUsed;
    computeScores(rule.scores, x, numExperts, scores);
    for (size_t e = 0; e < numExperts; ++e) choice[e] = orLeast(bias ? scores[e] + bias[e] : scores[e]);
    if (rule.groups > 1) closeGroups(rule, choice, numExperts, scratch + 2 * numExperts);
    // Best first, which is also the order in which shares are added.
    for (size_t s = 0; s < rule.numUsed; ++s) {
        const size_t expert = takeLargest(choice, numExperts);
        ids[s] = static_cast<float>(expert);
        shares[s] = scores[expert];
    }
    if (rule.scores == ExpertScores::SoftmaxOfChosen) softmax(shares, rule.numUsed);
    float sum = 0;
    for (size_t s = 0; s < rule.numUsed; ++s) sum += shares[s];
    for (size_t s = 0; s < rule.numUsed; ++s) {
        if (rule.renormalise) shares[s] /= std::max(sum, kLeastSum);
        if (rule.scale != 1) shares[s] *= rule.scale;
        if (expertScale) shares[s] *= expertScale[static_cast<size_t>(ids[s])];
    }
    sortById(ids, shares, rule.numUsed);
}

void expertSumRef(const float* x, const float* shares, float* y, size_t numUsed, size_t dim) {
    std::fill_n(y, dim, 0.0f);
    for (size_t s = 0; s < numUsed; ++s, x += dim) {
        for (size_t i = 0; i < dim; ++i) y[i] += shares[s] * x[i];
    }
}

}  // namespace ingle::kernels
