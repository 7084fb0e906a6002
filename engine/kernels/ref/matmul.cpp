#include "engine/kernels/ref/matmul.h"

#include <array>
#include <span>

#include "engine/quant/format.h"

namespace ingle::kernels {
namespace {

/// Decoding in pieces keeps the buffer on the stack; 1024 is a multiple of every block size.
constexpr uint32_t kPiece = 1024;
/// Independent partial sums, so that the compiler can vectorise without reordering additions by itself.
constexpr uint32_t kLanes = 16;

}  // namespace

void matmulRef(const MatmulArgs& args) noexcept {
    const quant::QuantFormat& format = *args.format;
    std::array<float, kPiece> weights;
    // Rows of activations in tiles, so that a decoded piece serves many of them.
    constexpr uint32_t kTile = 32;
    for (uint32_t out = args.outBegin; out < args.outEnd; ++out) {
        const std::byte* row = args.weights + out * args.weightRowBytes;
        for (uint32_t tile = 0; tile < args.numRows; tile += kTile) {
            const uint32_t tileRows = args.numRows - tile < kTile ? args.numRows - tile : kTile;
            std::array<std::array<float, kLanes>, kTile> sums{};
            for (uint32_t begin = 0; begin < args.k; begin += kPiece) {
                const uint32_t count = args.k - begin < kPiece ? args.k - begin : kPiece;
                format.decodeRow(row + size_t{begin} / format.blockElems * format.blockBytes,
                                 std::span(weights.data(), count));
                for (uint32_t r = 0; r < tileRows; ++r) {
                    const float* x =
                        reinterpret_cast<const float*>(args.x + (tile + r) * args.xRowBytes) + begin;
                    std::array<float, kLanes>& sum = sums[r];
                    uint32_t i = 0;
                    for (; i + kLanes <= count; i += kLanes) {
                        for (uint32_t lane = 0; lane < kLanes; ++lane) {
                            sum[lane] += x[i + lane] * weights[i + lane];
                        }
                    }
                    for (; i < count; ++i) sum[i % kLanes] += x[i] * weights[i];
                }
            }
            for (uint32_t r = 0; r < tileRows; ++r) {
                float total = 0;
                for (float lane : sums[r]) total += lane;
                args.y[(tile + r) * args.yStride + out] = total;
            }
        }
    }
}

}  // namespace ingle::kernels
