#include "engine/sampling/sampler.h"

#include <algorithm>
#include <cmath>

namespace ingle::sampling {
namespace {

uint64_t splitMix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

}  // namespace

double uniform(uint64_t seed, uint64_t position) {
    return static_cast<double>(splitMix(splitMix(seed) + position) >> 11) * 0x1p-53;
}

TokenId greedy(std::span<const float> logits) {
    return static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
}

TokenId Sampler::sample(std::span<const float> logits, const SamplerParams& params, uint64_t position) {
    if (params.temperature <= 0) return greedy(logits);
    m_candidates.clear();
    for (size_t id = 0; id < logits.size(); ++id)
        m_candidates.push_back({static_cast<TokenId>(id), logits[id], 0});
    const auto better = [](const Candidate& a, const Candidate& b) {
        return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
    };
    const size_t keep =
        params.topK > 0 ? std::min<size_t>(static_cast<size_t>(params.topK), logits.size()) : logits.size();
    std::ranges::partial_sort(m_candidates, m_candidates.begin() + static_cast<std::ptrdiff_t>(keep), better);
    m_candidates.resize(keep);

    const double best = m_candidates.front().logit;
    double total = 0;
    for (const Candidate& candidate : m_candidates) total += std::exp(candidate.logit - best);
    // Top-p: the fewest best candidates whose probabilities reach topP.
    double reached = 0;
    size_t count = 0;
    while (count < m_candidates.size() && (count == 0 || reached < params.topP)) {
        reached += std::exp(m_candidates[count++].logit - best) / total;
    }
    m_candidates.resize(count);

    double sum = 0;
    for (Candidate& candidate : m_candidates) {
        candidate.probability = std::exp((candidate.logit - best) / params.temperature);
        sum += candidate.probability;
    }
    double threshold = uniform(params.seed, position) * sum;
    for (const Candidate& candidate : m_candidates) {
        threshold -= candidate.probability;
        if (threshold < 0) return candidate.id;
    }
    return m_candidates.back().id;
}

}  // namespace ingle::sampling
