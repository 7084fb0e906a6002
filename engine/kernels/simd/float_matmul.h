/// Matmul of weights that are plain numbers with float activations. Each output has a vector of sums of its
/// own: lane l gets the terms l, l + kLanes, … and the lanes are added at the end, whatever the tile.
#pragma once

#include "engine/kernels/simd/simd.h"

namespace ingle::kernels {
namespace {

constexpr uint32_t kFloatTileOutputs = 4;
constexpr uint32_t kFloatTileRows = kLanes == 16 ? 6 : 2;  // 24 or 8 sums, of 32 or 16 registers
/// Outputs that take in the same rows one after the other: few enough that their weights stay in the second
/// cache (32 rows of 4,096 halves are 256 KB), and enough that rows come from there seldom.
constexpr uint32_t kFloatBlockOutputs = 32;

/// R rows × O outputs at y. A format states kQuant, kBytes (of a number) and load(at) of kLanes numbers.
template <typename Format, uint32_t R, uint32_t O>
void multiplyFloatTile(const MatmulArgs& args, uint32_t row, uint32_t out) {
    Floats sums[R][O];
    for (auto& rowSums : sums) {
        for (Floats& sum : rowSums) sum = zeroFloats();
    }
    const std::byte* weights = args.weights + out * args.weightRowBytes;
    const auto xRow = [&](uint32_t r) {
        return reinterpret_cast<const float*>(args.x + (row + r) * args.xRowBytes);
    };
    const auto addTerms = [&](const Floats(&w)[O], uint32_t i, uint32_t count) {
        for (uint32_t r = 0; r < R; ++r) {
            const Floats x = count == kLanes ? load(xRow(r) + i) : loadPart(xRow(r) + i, count);
            for (uint32_t o = 0; o < O; ++o) sums[r][o] = fma(w[o], x, sums[r][o]);
        }
    };
    uint32_t i = 0;
    for (; i + kLanes <= args.k; i += kLanes) {
        Floats w[O];
        for (uint32_t o = 0; o < O; ++o)
            w[o] = Format::load(weights + o * args.weightRowBytes + i * Format::kBytes);
        addTerms(w, i, kLanes);
    }
    if (const uint32_t rest = args.k - i; rest > 0) {
        Floats w[O];
        for (uint32_t o = 0; o < O; ++o) {
            std::byte part[kLanes * Format::kBytes] = {};
            __builtin_memcpy(part, weights + o * args.weightRowBytes + i * Format::kBytes,
                             rest * Format::kBytes);
            w[o] = Format::load(part);
        }
        addTerms(w, i, rest);
    }
    for (uint32_t r = 0; r < R; ++r) {
        for (uint32_t o = 0; o < O; ++o) args.y[(row + r) * args.yStride + out + o] = sumOfLanes(sums[r][o]);
    }
}

/// R rows × the outputs [out, end).
template <typename Format, uint32_t R>
void multiplyFloatOutputs(const MatmulArgs& args, uint32_t row, uint32_t out, uint32_t end) {
    for (; out + kFloatTileOutputs <= end; out += kFloatTileOutputs)
        multiplyFloatTile<Format, R, kFloatTileOutputs>(args, row, out);
    for (; out < end; ++out) multiplyFloatTile<Format, R, 1>(args, row, out);
}

template <typename Format>
void floatMatmul(const MatmulArgs& args) noexcept {
    for (uint32_t out = args.outBegin; out < args.outEnd; out += kFloatBlockOutputs) {
        const uint32_t end = out + kFloatBlockOutputs < args.outEnd ? out + kFloatBlockOutputs : args.outEnd;
        uint32_t row = 0;
        for (; row + kFloatTileRows <= args.numRows; row += kFloatTileRows)
            multiplyFloatOutputs<Format, kFloatTileRows>(args, row, out, end);
        for (; row + 2 <= args.numRows; row += 2) multiplyFloatOutputs<Format, 2>(args, row, out, end);
        if (row < args.numRows) multiplyFloatOutputs<Format, 1>(args, row, out, end);
    }
}

template <typename Format>
constexpr KernelEntry floatMatmulEntry() {
    return {.op = KernelOp::Matmul,
            .isa = kIsa,
            .fn = {.matmul = floatMatmul<Format>},
            .weight = Format::kQuant,
            .activation = ActivationForm::Floats};
}

}  // namespace
}  // namespace ingle::kernels
