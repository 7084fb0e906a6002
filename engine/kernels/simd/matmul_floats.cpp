// F32, F16 and BF16 weights, multiplied in float32.
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

constexpr KernelEntry kEntries[] = {floatMatmulEntry<F32>(), floatMatmulEntry<F16>(),
                                    floatMatmulEntry<Bf16>()};

}  // namespace

extern const KernelList list = {kEntries, 3};

}  // namespace ingle::kernels::INGLE_ISA::matmul_floats
