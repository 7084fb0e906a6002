// F16: little-endian binary16, one value a block.
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant::f16_format {
namespace {

void encodeRow(std::span<const float> x, std::span<const float>, std::byte* out) {
    for (size_t i = 0; i < x.size(); ++i) storeHalf(out + 2 * i, x[i]);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    for (size_t i = 0; i < y.size(); ++i) y[i] = halfAt(in + 2 * i);
}

}  // namespace

extern const QuantFormat format{.id = kF16,
                                .name = "F16",
                                .blockElems = 1,
                                .blockBytes = 2,
                                .maxRelRmse = 3e-4,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant::f16_format
