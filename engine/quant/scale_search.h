/// Search for the scales of block formats whose groups of values share one: what their encoders have in
/// common. Rounding every value to the nearest step of the obvious scale is not best; scales near it are
/// tried, and the best straight-line fit through each rounding is kept. Source: the reference coders of
/// ggml-quants.c (rule), docs/add-a-format.md.
#pragma once

#include <cstdint>
#include <span>

namespace ingle::quant {

/// The integer nearest to `value` (ties to even) within [low, high]; NaN gives `low`. |low|, |high| < 2^22.
int32_t nearestLevel(float value, int32_t low, int32_t high);

/// value = scale * level - min
struct ScaleAndOffset {
    float scale = 0;
    float min = 0;  ///< never negative
};

/// The steps tried by fitScaleAndOffset: (top level + first + t * stride) / range for t = 0 … count.
struct ScaleSteps {
    float first;
    float stride;
    int32_t count;
};

/// Scale and min for levels 0 … topLevel with a small sum of weight * error²; x and weights have the same
/// size.
ScaleAndOffset fitScaleAndOffset(std::span<const float> x, std::span<const float> weights, int32_t topLevel,
                                 const ScaleSteps& steps);

/// Scale for levels -depth … depth - 1 with a small sum of x² * error². Negative when that fits better: then
/// the longer end of the levels serves the positive values.
float fitSignedScale(std::span<const float> x, int32_t depth);

/// Weights of values of which large ones, and those in groups with large ones, matter more: rms(x) + |x|.
void magnitudeWeights(std::span<const float> x, std::span<float> weights);

}  // namespace ingle::quant
