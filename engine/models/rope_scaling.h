/// Frequencies of rotary position embedding, with the scalings that stretch a model's context.
#pragma once

#include <string>
#include <vector>

#include "engine/formats/model_file.h"

namespace ingle::models {

struct RopeFrequencies {
    std::vector<double> perPair;  ///< radians per position, one per rotated pair
    float magnitude = 1;          ///< multiplies cos and sin
};

/// Reads "<arch>.rope.*" and the tensor rope_freqs.weight (Llama 3.1's rule, one divisor per pair). `dims` is
/// even. Scalings: linear (Chen et al., "Extending Context Window of LLMs via Positional Interpolation",
/// 2023) and YaRN (Peng et al., 2023, section 3). Errors: Corrupt; Unsupported for another scaling.
Result<RopeFrequencies> readRopeFrequencies(const formats::ModelFile& file, const std::string& arch,
                                            uint32_t dims, uint32_t trainedContext);

}  // namespace ingle::models
