/// The links of the sampling chain. Each takes candidates best first (ties by the lowest id), removes some
/// and keeps at least one; the order stays.
#pragma once

#include <vector>

#include "engine/sampling/sampler.h"

namespace ingle::sampling {

/// Adds params.logitBias, then penalises what is among the last params.lastN tokens of `history`: the logit
/// is divided by repeatPenalty (multiplied if negative; Keskar et al., "CTRL", 2019, section 4.1), then
/// reduced by count * frequencyPenalty + presencePenalty. Ids outside the vocabulary are ignored.
void biasAndPenalise(std::span<float> logits, const SamplerParams& params, std::span<const TokenId> history);

/// The best `k` of all tokens (0: all), sorted.
void topK(std::span<const float> logits, int32_t k, std::vector<Candidate>& candidates);

/// Keeps the tokens whose information content is nearest to the entropy, until their probabilities reach
/// `typicalP` (Meister et al., "Locally Typical Sampling", 2022, section 4). 1 keeps all.
void typical(float typicalP, std::vector<Candidate>& candidates);

/// Keeps the fewest best whose probabilities reach `p` (Holtzman et al., "The Curious Case of Neural Text
/// Degeneration", 2019, section 3.1).
void topP(float p, std::vector<Candidate>& candidates);

/// Keeps those at least `p` times as probable as the best.
void minP(float p, std::vector<Candidate>& candidates);

/// Keeps those whose logit is at most `n` standard deviations of all `logits` below the best (Tang et al.,
/// "Top-n-sigma: Not All Logits Are You Need", 2024, section 3). 0 keeps all.
void topNSigma(std::span<const float> logits, float n, std::vector<Candidate>& candidates);

/// Leaves out the best ones while the next one, too, has a probability of `threshold` or more ("exclude top
/// choices", by p-e-w, 2024). Where `u` in [0, 1) is not below `probability`, all stay.
void excludeTopChoices(float probability, float threshold, double u, std::vector<Candidate>& candidates);

/// Draws by softmax(logit / temperature); `u` in [0, 1) decides.
TokenId draw(std::span<const Candidate> candidates, float temperature, double u);

}  // namespace ingle::sampling
