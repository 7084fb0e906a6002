// Normalisations; see engine/kernels/ref/norm.h.
#include "engine/kernels/simd/simd.h"

namespace ingle::kernels::INGLE_ISA::norm {
namespace {

/// Calls body(i, count) for each vector of n values; count < kLanes in the last one only.
template <typename Body>
void forVectors(size_t n, Body body) {
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) body(i, kLanes);
    if (i < n) body(i, static_cast<uint32_t>(n - i));
}

float sumOfSquares(const float* x, Floats mean, size_t n) {
    Floats sums[2] = {zeroFloats(), zeroFloats()};
    forVectors(n, [&](size_t i, uint32_t count) {
        const Floats away = keepLanes(subtract(loadPart(x + i, count), mean), count, zeroFloats());
        Floats& sum = sums[i / kLanes % 2];
        sum = fma(away, away, sum);
    });
    return sumOfLanes(add(sums[0], sums[1]));
}

void rmsNorm(const float* x, const float* g, float* y, size_t numRows, size_t dim, float eps) noexcept {
    for (size_t row = 0; row < numRows; ++row, x += dim, y += dim) {
        const float squares = sumOfSquares(x, zeroFloats(), dim);
        const Floats inverse = broadcast(1.0F / __builtin_sqrtf(squares / static_cast<float>(dim) + eps));
        forVectors(dim, [&](size_t i, uint32_t count) {
            const Floats scaled = multiply(loadPart(x + i, count), inverse);
            storeLanes(y + i, multiply(scaled, loadPart(g + i, count)), 0, count);
        });
    }
}

void groupNorm(const float* x, const float* g, const float* b, float* y, size_t numRows, size_t dim,
               size_t groups, float eps) noexcept {
    const size_t size = dim / groups;
    const auto count = static_cast<float>(size);
    for (size_t part = 0; part < numRows * groups; ++part) {
        const float* in = x + part * size;
        float* out = y + part * size;
        const size_t channel = part % groups * size;
        Floats sum = zeroFloats();
        forVectors(size, [&](size_t i, uint32_t lanes) { sum = add(sum, loadPart(in + i, lanes)); });
        const Floats mean = broadcast(sumOfLanes(sum) / count);
        const float squares = sumOfSquares(in, mean, size);
        const Floats inverse = broadcast(1.0F / __builtin_sqrtf(squares / count + eps));
        forVectors(size, [&](size_t i, uint32_t lanes) {
            const Floats scaled = multiply(subtract(loadPart(in + i, lanes), mean), inverse);
            const Floats moved =
                fma(scaled, loadPart(g + channel + i, lanes), loadPart(b + channel + i, lanes));
            storeLanes(out + i, moved, 0, lanes);
        });
    }
}

constexpr KernelEntry kEntries[] = {
    {.op = KernelOp::RmsNorm, .isa = kIsa, .fn = {.rmsNorm = rmsNorm}},
    {.op = KernelOp::GroupNorm, .isa = kIsa, .fn = {.groupNorm = groupNorm}},
};

}  // namespace

extern const KernelList list = {kEntries, 2};

}  // namespace ingle::kernels::INGLE_ISA::norm
