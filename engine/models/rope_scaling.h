/// Frequencies of rotary position embedding, with the scalings that stretch a model's context.
#pragma once

#include <vector>

#include "engine/models/keys.h"

namespace ingle::models {

struct RopeFrequencies {
    std::vector<double> perPair;  ///< radians per position, one per rotated pair
    float magnitude = 1;          ///< multiplies cos and sin

    bool operator==(const RopeFrequencies&) const = default;
};

/// The frequencies base^(-2p / dims), unscaled. Source: Su et al., "RoFormer" (2021), section 3.2.
RopeFrequencies unscaledRope(double base, uint32_t dims);

/// Divides each frequency by the pair's number in a tensor, if the file has it. Errors: Corrupt.
Status divideByFactors(RopeFrequencies& rope, const formats::ModelFile& file, std::string_view name);

/// What YaRN's ramp and magnitude depend on beside the factor.
struct YarnRule {
    double fastRotations = 32;  ///< of a wave within the original context, above which it stays as it is
    double slowRotations = 1;   ///< … and below which it is stretched
    /// m: cos and sin are multiplied by f(1) / f(m), f(u) = 1 + 0.1 u ln(factor); 0: by f(1).
    double logMultiplier = 0;
};

/// Reads "<arch>.rope.*" and, with `hasFactors`, the tensor rope_freqs.weight (Llama 3.1's rule, one divisor
/// per pair). `dims` is even. Scalings: linear (Chen et al., "Extending Context Window of LLMs via Positional
/// Interpolation", 2023) and YaRN (Peng et al., 2023, section 3). Errors: Corrupt; Unsupported for another
/// scaling.
Result<RopeFrequencies> readRopeFrequencies(const Keys& keys, uint32_t dims, uint32_t trainedContext,
                                            const YarnRule& yarn = {}, bool hasFactors = true);

}  // namespace ingle::models
