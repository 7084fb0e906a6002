/// Mixtures of experts: who computes, and how the results are joined. A routing row r: [2 * numUsed] holds
/// the ids of the chosen experts, ascending, and then their shares.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ingle::kernels {

/// What a router's logits x become, before experts are chosen by them.
enum class ExpertScores : uint8_t {
    Softmax,          ///< over all experts
    Sigmoid,          ///< of each by itself
    SqrtSoftplus,     ///< sqrt(log(1 + e^x)), of each by itself
    SoftmaxOfChosen,  ///< x itself decides; shares are the softmax over the chosen
};

/// How experts are chosen. Sources: Jiang et al., "Mixtral of Experts" (2024), section 2.1; DeepSeek-AI,
/// "DeepSeek-V3 Technical Report" (2024), section 2.1.2 (sigmoid, bias for the choice, groups).
struct RouteRule {
    uint32_t numUsed = 0;  ///< experts of a row
    ExpertScores scores = ExpertScores::Softmax;
    /// Experts come in so many groups of equal size, of which the `groupsUsed` with the largest sums of their
    /// two best scores are open to the choice.
    uint32_t groups = 1;
    uint32_t groupsUsed = 1;
    bool renormalise = false;  ///< shares are divided by their sum
    float scale = 1;           ///< … and multiplied by this

    bool operator==(const RouteRule&) const = default;
};

/// x: [numExperts]; `bias`, added to scores for the choice only, and `expertScale`, which multiplies shares:
/// [numExperts] or null. scratch: [3 * numExperts]. routing: [2 * rule.numUsed]; ids are different and in
/// range whatever x holds. The largest scores win; of equal ones the lower expert.
void routeExpertsRef(const RouteRule& rule, const float* x, const float* bias, const float* expertScale,
                     size_t numExperts, float* scratch, float* routing);

/// y = sum over the chosen experts, in their order, of share_s x_s, where the s-th one's result is part s of
/// x: [numUsed, dim]; shares: [numUsed]; y: [dim].
void expertSumRef(const float* x, const float* shares, float* y, size_t numUsed, size_t dim);

}  // namespace ingle::kernels
