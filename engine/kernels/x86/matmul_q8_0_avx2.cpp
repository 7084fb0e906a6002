/// Q8_0 × Q8_0 matmul, AVX2. One 32-byte block per step: |w| · sign(x, w) as unsigned × signed bytes.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {
namespace avx2 {
namespace {

constexpr uint32_t kBlockElems = 32;
constexpr uint32_t kBlockBytes = 34;  // f16 scale, then 32 signed bytes
/// Rows that share one load of a weight block; 4 accumulators and the block fit the 16 registers.
constexpr uint32_t kTile = 4;

float scaleOf(const std::byte* block) {
    uint16_t bits;
    __builtin_memcpy(&bits, block, sizeof bits);
    return _cvtsh_ss(bits);
}

__m256i bytesOf(const std::byte* block) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(block + 2));
}

float sumOf(__m256 v) {
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    sum = _mm_add_ss(sum, _mm_movehdup_ps(sum));
    return _mm_cvtss_f32(sum);
}

/// y[0..rows) of one output.
void dotRows(const std::byte* w, const std::byte* x, size_t xRowBytes, uint32_t rows, uint32_t numBlocks,
             float* y, size_t yStride) {
    __m256 sums[kTile];
    for (uint32_t r = 0; r < rows; ++r) sums[r] = _mm256_setzero_ps();
    const __m256i ones = _mm256_set1_epi16(1);
    for (uint32_t block = 0; block < numBlocks; ++block, w += kBlockBytes, x += kBlockBytes) {
        const __m256i weight = bytesOf(w);
        const __m256i magnitude = _mm256_abs_epi8(weight);
        const float weightScale = scaleOf(w);
        for (uint32_t r = 0; r < rows; ++r) {
            const std::byte* row = x + r * xRowBytes;
            // At most 2 · 128 · 127 = 32,512 per pair: no saturation in 16 bits.
            const __m256i pairs = _mm256_maddubs_epi16(magnitude, _mm256_sign_epi8(bytesOf(row), weight));
            const __m256 dots = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, ones));
            sums[r] = _mm256_fmadd_ps(dots, _mm256_set1_ps(weightScale * scaleOf(row)), sums[r]);
        }
    }
    for (uint32_t r = 0; r < rows; ++r) y[r * yStride] = sumOf(sums[r]);
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
    {KernelOp::Matmul, quant::kQ8_0, quant::kQ8_0, base::Isa::Avx2, {.matmul = matmul}},
};

}  // namespace
}  // namespace avx2

extern const KernelList matmul_q8_0_avx2_kernels;
const KernelList matmul_q8_0_avx2_kernels = {avx2::kEntries, 1};

}  // namespace ingle::kernels
