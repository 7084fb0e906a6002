/// The short causal convolution in front of recurrent mixers.
#pragma once

#include <cstddef>

namespace ingle::kernels {

/// Rows of some channels, as far apart as `stride` says (in floats).
struct ShortConv {
    const float* weights;  ///< [width, kernel]: the last of a channel meets the present row
    const float* bias;     ///< [width], or null
    size_t width;          ///< of a row
    size_t kernel;         ///< rows that make one
};

/// y[t][c] = sum_j w[c][j] x[t - kernel + 1 + j][c] [+ b[c]] for channels [begin, end) of consecutive rows t
/// in [0, numRows), numRows > 0; x, y: [numRows, width], not the same. before: [kernel - 1, width], the rows
/// ahead of the first, oldest first; then those ahead of row numRows. turned: [kernel, end - begin], scratch
/// memory for the weights of these channels, those of a row side by side.
void shortConvRef(const ShortConv& conv, const float* x, float* before, float* y, size_t numRows,
                  size_t begin, size_t end, float* turned);

}  // namespace ingle::kernels
