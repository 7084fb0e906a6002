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

/// Reads "<arch>.rope.*" and the tensor rope_freqs.weight (Llama 3.1's rule, one divisor per pair). `dims` is
/// even. Scalings: linear (Chen et al., "Extending Context Window of LLMs via Positional Interpolation",
/// 2023) and YaRN (Peng et al., 2023, section 3). Errors: Corrupt; Unsupported for another scaling.
Result<RopeFrequencies> readRopeFrequencies(const Keys& keys, uint32_t dims, uint32_t trainedContext);

}  // namespace ingle::models
