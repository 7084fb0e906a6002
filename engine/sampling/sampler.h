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

/// A token that may still be chosen. Candidates are kept best first, ties by the lowest id.
struct Candidate {
    TokenId id;
    float logit;
};

/// True when the chain looks at nothing but the best `count` logits, as they are: greedy, or top-k, top-p,
/// min-p and temperature, without anything else. A backend may choose the token by itself then.
bool needsOnlyBest(const SamplerParams& params, uint32_t count);

/// Holds the working memory between calls; no other state. One thread.
class Sampler {
  public:
    /// The chain: logit bias, penalties, DRY, top-k, top-n-sigma, typical, top-p, min-p, XTC, temperature,
    /// draw; greedy (after bias and penalties) when temperature is 0. Ties go to the lowest id.
    /// logits: [vocab], finite, not empty. `history` holds prompt and answer so far. `position` is the index
    /// of the token within the answer. `allowed` [vocab], if given, has at least one true: the logits of all
    /// others count as minus infinity, after bias and penalties and before the other links. `unbroken`: how
    /// many of the last tokens may be part of a repetition (DRY).
    TokenId sample(std::span<const float> logits, const SamplerParams& params,
                   std::span<const TokenId> history, uint64_t position,
                   const std::vector<bool>* allowed = nullptr, size_t unbroken = SIZE_MAX);

  private:
    std::vector<float> m_logits;
    std::vector<Candidate> m_candidates;
};

/// The highest logit, ties to the lowest id.
TokenId greedy(std::span<const float> logits);

}  // namespace ingle::sampling
