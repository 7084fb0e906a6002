/// Choosing the next token, on the CPU: the reference for every backend that samples by itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ingle/types.h"

namespace ingle::sampling {

/// A number in [0, 1) that depends on nothing but its arguments, so that an answer can go on after a crash.
/// SplitMix64 (Steele, Lea & Flood, "Fast Splittable Pseudorandom Number Generators", 2014) over both.
double uniform(uint64_t seed, uint64_t position);

/// Holds the working memory between calls; no other state. One thread.
class Sampler {
  public:
    /// The chain: top-k, top-p, temperature, draw; greedy when temperature is 0. Ties go to the lowest id.
    /// logits: [vocab], finite, not empty. `position` is the index of the token within the answer.
    TokenId sample(std::span<const float> logits, const SamplerParams& params, uint64_t position);

  private:
    struct Candidate {
        TokenId id;
        float logit;
        double probability;
    };
    std::vector<Candidate> m_candidates;
};

/// The highest logit, ties to the lowest id.
TokenId greedy(std::span<const float> logits);

}  // namespace ingle::sampling
