/// Q8_0 × Q8_0 matmul, AVX-512 with VNNI. Two blocks per step: |w| · sign(x, w) accumulated by vpdpbusd.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {
namespace avx512 {
namespace {

constexpr uint32_t kBlockElems = 32;
constexpr uint32_t kBlockBytes = 34;  // f16 scale, then 32 signed bytes
/// Rows that share one load of a weight block pair.
constexpr uint32_t kTile = 8;

float scaleOf(const std::byte* block) {
    uint16_t bits;
    __builtin_memcpy(&bits, block, sizeof bits);
    return _cvtsh_ss(bits);
}

__m256i bytesOf(const std::byte* block) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(block + 2));
}

/// The bytes of two consecutive blocks, or of one and zeros.
__m512i pairBytes(const std::byte* block, uint32_t numBlocks) {
    const __m512i low = _mm512_castsi256_si512(bytesOf(block));
    return _mm512_inserti64x4(low, numBlocks > 1 ? bytesOf(block + kBlockBytes) : _mm256_setzero_si256(), 1);
}

__m512 pairScales(float low, float high) {
    return _mm512_insertf32x8(_mm512_set1_ps(low), _mm256_set1_ps(high), 1);
}

/// y[0..rows) of one output.
void dotRows(const std::byte* w, const std::byte* x, size_t xRowBytes, uint32_t rows, uint32_t numBlocks,
             float* y, size_t yStride) {
    __m512 sums[kTile];
    for (uint32_t r = 0; r < rows; ++r) sums[r] = _mm512_setzero_ps();
    for (uint32_t block = 0; block < numBlocks; block += 2, w += 2 * kBlockBytes, x += 2 * kBlockBytes) {
        const uint32_t left = numBlocks - block;
        const __m512i weight = pairBytes(w, left);
        const __m512i magnitude = _mm512_abs_epi8(weight);
        const __mmask64 negative = _mm512_movepi8_mask(weight);
        const __m512 weightScale = pairScales(scaleOf(w), left > 1 ? scaleOf(w + kBlockBytes) : 0.0f);
        for (uint32_t r = 0; r < rows; ++r) {
            const std::byte* row = x + r * xRowBytes;
            const __m512i bytes = pairBytes(row, left);
            const __m512i signedBytes = _mm512_mask_sub_epi8(bytes, negative, _mm512_setzero_si512(), bytes);
            const __m512i dots = _mm512_dpbusd_epi32(_mm512_setzero_si512(), magnitude, signedBytes);
            const __m512 scale = _mm512_mul_ps(
                weightScale, pairScales(scaleOf(row), left > 1 ? scaleOf(row + kBlockBytes) : 0.0f));
            sums[r] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), scale, sums[r]);
        }
    }
    for (uint32_t r = 0; r < rows; ++r) y[r * yStride] = _mm512_reduce_add_ps(sums[r]);
}

void matmul(const MatmulArgs& args) noexcept {
    for (uint32_t out = args.outBegin; out < args.outEnd; ++out) {
        for (uint32_t r = 0; r < args.numRows; r += kTile) {
            const uint32_t rows = args.numRows - r < kTile ? args.numRows - r : kTile;
            dotRows(args.weights + out * args.weightRowBytes, args.x + r * args.xRowBytes, args.xRowBytes,
                    rows, args.k / kBlockElems, args.y + r * args.yStride + out, args.yStride);
        }
    }
}

constexpr KernelEntry kEntries[] = {
    {KernelOp::Matmul, quant::kQ8_0, quant::kQ8_0, base::Isa::Avx512, {.matmul = matmul}},
};

}  // namespace
}  // namespace avx512

extern const KernelList matmul_q8_0_avx512_kernels;
const KernelList matmul_q8_0_avx512_kernels = {avx512::kEntries, 1};

}  // namespace ingle::kernels
