/// Normalisations, statistics in f32. x, y: [numRows, dim]; may alias.
#pragma once

#include <cstddef>

namespace ingle::kernels {

/// y = x / sqrt(mean(x²) + eps) * g. Source: Zhang & Sennrich, "Root Mean Square Layer Normalization" (2019),
/// eq. 4.
void rmsNormRef(const float* x, const float* g, float* y, size_t numRows, size_t dim, float eps) noexcept;

/// y = (x - mean) / sqrt(var + eps) * g + b over each of `groups` equal parts of a row (1: layer norm),
/// population variance. Source: Wu & He, "Group Normalization" (2018), eq. 1-2.
void groupNormRef(const float* x, const float* g, const float* b, float* y, size_t numRows, size_t dim,
                  size_t groups, float eps) noexcept;

/// z = x * g, y = z / max(|z|, eps) with the Euclidean length |z| of each of `groups` equal parts of a row;
/// g: [dim].
void l2NormRef(const float* x, const float* g, float* y, size_t numRows, size_t dim, size_t groups,
               float eps);

}  // namespace ingle::kernels
