// Q8_0: see engine/quant/formats/q8_0.cpp.
#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels::INGLE_ISA::matmul_q8_0 {
namespace {

struct Q8_0 {
    static constexpr quant::Quant kQuant = quant::kQ8_0;
    static constexpr uint32_t kUnitBytes = 34;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 255;
    static constexpr int kOffsetShift = 7;

    static void unpack(const Rows& rows, Unit<Q8_0>& unit) {
        loadColumn(rows, 2, unit.bytes[0]);
        loadColumn(rows, 18, unit.bytes[0] + 4);
        for (Ints& group : unit.bytes[0]) group = bitXor(group, bytes(0x80));
        unit.scales[0][0] = loadHalves(rows, 0);
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Q8_0>()};

}  // namespace

extern const KernelList list = {kEntries, 1};

}  // namespace ingle::kernels::INGLE_ISA::matmul_q8_0
