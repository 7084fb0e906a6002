#include "engine/sampling/sampler.h"

#include <algorithm>
#include <limits>

#include "engine/sampling/dry.h"
#include "engine/sampling/filters.h"

namespace ingle::sampling {
namespace {

uint64_t splitMix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/// False when bias and penalties would leave every logit as it is.
bool changesLogits(const SamplerParams& params) {
    return !params.logitBias.empty() || params.repeatPenalty != 1 || params.frequencyPenalty != 0 ||
           params.presencePenalty != 0 || params.dryMultiplier > 0;
}

}  // namespace

double uniform(uint64_t seed, uint64_t position) {
    return static_cast<double>(splitMix(splitMix(seed) + position) >> 11) * 0x1p-53;
}

bool needsOnlyBest(const SamplerParams& params, uint32_t count) {
    if (changesLogits(params)) return false;
    if (params.temperature <= 0) return true;
    return params.typicalP >= 1 && params.topNSigma <= 0 && params.xtcProbability <= 0 && params.topK > 0 &&
           static_cast<uint32_t>(params.topK) <= count;
}

TokenId greedy(std::span<const float> logits) {
    return static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
}

TokenId Sampler::sample(std::span<const float> logits, const SamplerParams& params,
                        std::span<const TokenId> history, uint64_t position, const std::vector<bool>* allowed,
                        size_t unbroken) {
    if (changesLogits(params) || allowed) {
        m_logits.assign(logits.begin(), logits.end());
        biasAndPenalise(m_logits, params, history);
        penaliseRepetitions(m_logits, params, history, unbroken);
        logits = m_logits;
    }
    constexpr float kRefused = -std::numeric_limits<float>::infinity();
    for (size_t id = 0; allowed && id < m_logits.size(); ++id)
        if (!(*allowed)[id]) m_logits[id] = kRefused;
    if (allowed && *std::ranges::max_element(m_logits) == kRefused)
        return static_cast<TokenId>(std::ranges::find(*allowed, true) - allowed->begin());
    if (params.temperature <= 0) return greedy(logits);
    topK(logits, params.topK, m_candidates);
    if (allowed) std::erase_if(m_candidates, [](const Candidate& one) { return one.logit == kRefused; });
    topNSigma(logits, params.topNSigma, m_candidates);
    typical(params.typicalP, m_candidates);
    topP(params.topP, m_candidates);
    minP(params.minP, m_candidates);
    // A number of its own: the draw's is not the less random for it.
    excludeTopChoices(params.xtcProbability, params.xtcThreshold, uniform(~params.seed, position),
                      m_candidates);
    return draw(m_candidates, params.temperature, uniform(params.seed, position));
}

}  // namespace ingle::sampling
