// F32: little-endian binary32, one value a block.
#include <cstring>

#include "engine/quant/format.h"

namespace ingle::quant::f32_format {
namespace {

void encodeRow(std::span<const float> x, std::span<const float>, std::byte* out) {
    std::memcpy(out, x.data(), x.size_bytes());
}

void decodeRow(const std::byte* in, std::span<float> y) {
    std::memcpy(y.data(), in, y.size_bytes());
}

}  // namespace

extern const QuantFormat format{.id = kF32,
                                .name = "F32",
                                .blockElems = 1,
                                .blockBytes = 4,
                                .maxRelRmse = 0,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant::f32_format
