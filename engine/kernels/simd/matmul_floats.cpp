// F32, F16, BF16 and F8_E4M3 weights, multiplied in float32.
#include "engine/kernels/simd/float_matmul.h"

namespace ingle::kernels::INGLE_ISA::matmul_floats {
namespace {

struct F32 {
    static constexpr quant::Quant kQuant = quant::kF32;
    static constexpr uint32_t kBytes = 4;
    static Floats load(const std::byte* at) { return asFloats(loadInts(at)); }
};

struct F16 {
    static constexpr quant::Quant kQuant = quant::kF16;
    static constexpr uint32_t kBytes = 2;
    static Floats load(const std::byte* at) { return loadHalves(at); }
};

struct Bf16 {
    static constexpr quant::Quant kQuant = quant::kBF16;
    static constexpr uint32_t kBytes = 2;
    static Floats load(const std::byte* at) { return loadUpperHalves(at); }
};

/// The bits are those of a half of 2^8 less, but for what is not a number.
struct F8E4M3 {
    static constexpr quant::Quant kQuant = quant::kF8E4M3;
    static constexpr uint32_t kBytes = 1;
    static Floats load(const std::byte* at) {
        const Ints v = loadBytes(at);
        const Ints magnitude = bitAnd(v, broadcastInt(0x7F));
        const Ints sign = shiftLeft(bitXor(v, magnitude), 8);
        const Ints noNumber = shiftLeft(whereAtLeast(magnitude, broadcastInt(0x7F), broadcastInt(0x7C)), 8);
        const Ints half = bitOr(bitOr(sign, shiftLeft(magnitude, 7)), noNumber);
        return multiply(lowHalvesToFloats(half), broadcast(256));
    }
};

constexpr KernelEntry kEntries[] = {floatMatmulEntry<F32>(), floatMatmulEntry<F16>(),
                                    floatMatmulEntry<Bf16>(), floatMatmulEntry<F8E4M3>()};

}  // namespace

extern const KernelList list = {kEntries, 4};

}  // namespace ingle::kernels::INGLE_ISA::matmul_floats
