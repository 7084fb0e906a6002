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

/// The last rows of a sequence: position p has row p mod `size`, size >= kernel - 1. Zero at the beginning.
struct ShortConvRing {
    float* rows;  ///< [size, width]
    size_t size;
};

/// y[t][c] = sum_j w[c][j] x[t - kernel + 1 + j][c] [+ b[c]] for channels [begin, end) of consecutive rows t
/// in [0, numRows); x, y: [numRows, width], not the same. The first has position firstPosition; rows of
/// positions before are in the ring, and those of the run are put there. turned: [kernel, end - begin],
/// scratch memory for the weights of these channels, those of a row side by side.
void shortConvRef(const ShortConv& conv, const float* x, const ShortConvRing& ring, size_t firstPosition,
                  float* y, size_t numRows, size_t begin, size_t end, float* turned);

}  // namespace ingle::kernels
