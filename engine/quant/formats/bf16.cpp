// BF16: the upper half of a binary32, one value a block.
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant::bf16_format {
namespace {

void encodeRow(std::span<const float> x, std::span<const float>, std::byte* out) {
    for (size_t i = 0; i < x.size(); ++i) storeU16(out + 2 * i, base::f32ToBf16(x[i]));
}

void decodeRow(const std::byte* in, std::span<float> y) {
    for (size_t i = 0; i < y.size(); ++i) y[i] = base::bf16ToF32(u16At(in + 2 * i));
}

}  // namespace

extern const QuantFormat format{.id = kBF16,
                                .name = "BF16",
                                .blockElems = 1,
                                .blockBytes = 2,
                                .maxRelRmse = 2.2e-3,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant::bf16_format
