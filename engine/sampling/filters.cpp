#include "engine/sampling/filters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace ingle::sampling {
namespace {

bool better(const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

/// exp(logit - best) of each candidate, and their sum.
struct Weights {
    std::vector<double> each;
    double sum = 0;

    explicit Weights(std::span<const Candidate> candidates, double temperature = 1) {
        const double best = candidates.front().logit;
        each.reserve(candidates.size());
        for (const Candidate& candidate : candidates) {
            each.push_back(std::exp((candidate.logit - best) / temperature));
            sum += each.back();
        }
    }
};

}  // namespace

void biasAndPenalise(std::span<float> logits, const SamplerParams& params, std::span<const TokenId> history) {
    const auto known = [&](TokenId id) { return id >= 0 && static_cast<size_t>(id) < logits.size(); };
    for (const auto& [id, bias] : params.logitBias) {
        if (known(id)) logits[static_cast<size_t>(id)] += bias;
    }
    std::map<TokenId, uint32_t> counts;
    for (const TokenId id : history.last(std::min<size_t>(params.lastN, history.size()))) {
        if (known(id)) ++counts[id];
    }
    for (const auto& [id, count] : counts) {
        float& logit = logits[static_cast<size_t>(id)];
        logit = logit > 0 ? logit / params.repeatPenalty : logit * params.repeatPenalty;
        logit -= static_cast<float>(count) * params.frequencyPenalty + params.presencePenalty;
    }
}

void topK(std::span<const float> logits, int32_t k, std::vector<Candidate>& candidates) {
    candidates.clear();
    for (size_t id = 0; id < logits.size(); ++id)
        candidates.push_back({static_cast<TokenId>(id), logits[id]});
    const size_t keep = k > 0 ? std::min(static_cast<size_t>(k), logits.size()) : logits.size();
    std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(keep), better);
    candidates.resize(keep);
}

void typical(float typicalP, std::vector<Candidate>& candidates) {
    if (typicalP >= 1) return;
    const Weights weights(candidates);
    // Information content -ln p, and its distance from the mean, the entropy.
    std::vector<double> surprise;
    double entropy = 0;
    for (const double weight : weights.each) {
        const double p = weight / weights.sum;
        surprise.push_back(-std::log(p));
        if (p > 0) entropy += p * surprise.back();
    }
    std::vector<size_t> order(candidates.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return std::abs(surprise[i] - entropy); });
    double reached = 0;
    size_t count = 0;
    while (count < order.size() && (count == 0 || reached < typicalP))
        reached += weights.each[order[count++]] / weights.sum;
    order.resize(count);
    std::ranges::sort(order);  // best first again
    for (size_t i = 0; i < order.size(); ++i) candidates[i] = candidates[order[i]];
    candidates.resize(count);
}

void topP(float p, std::vector<Candidate>& candidates) {
    if (p >= 1) return;
    const Weights weights(candidates);
    double reached = 0;
    size_t count = 0;
    while (count < candidates.size() && (count == 0 || reached < p))
        reached += weights.each[count++] / weights.sum;
    candidates.resize(count);
}

void minP(float p, std::vector<Candidate>& candidates) {
    if (p <= 0) return;
    const double least = candidates.front().logit + std::log(std::min(p, 1.0f));
    while (candidates.back().logit < least) candidates.pop_back();
}

void topNSigma(std::span<const float> logits, float n, std::vector<Candidate>& candidates) {
    if (n <= 0) return;
    double sum = 0, squares = 0;
    size_t count = 0;
    for (const float logit : logits) {
        if (!std::isfinite(logit)) continue;  // no choice
        sum += logit;
        ++count;
    }
    const double mean = sum / static_cast<double>(count);
    for (const float logit : logits)
        if (std::isfinite(logit)) squares += (logit - mean) * (logit - mean);
    const double least = candidates.front().logit - n * std::sqrt(squares / static_cast<double>(count));
    while (candidates.back().logit < least) candidates.pop_back();
}

void excludeTopChoices(float probability, float threshold, double u, std::vector<Candidate>& candidates) {
    if (u >= probability) return;
    const Weights weights(candidates);
    size_t count = 0;
    while (count < candidates.size() && weights.each[count] / weights.sum >= threshold) ++count;
    if (count > 1)
        candidates.erase(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(count - 1));
}

TokenId draw(std::span<const Candidate> candidates, float temperature, double u) {
    const Weights weights(candidates, temperature);
    double threshold = u * weights.sum;
    for (size_t i = 0; i < candidates.size(); ++i) {
        threshold -= weights.each[i];
        if (threshold < 0) return candidates[i].id;
    }
    return candidates.back().id;
}

}  // namespace ingle::sampling
