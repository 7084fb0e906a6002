// Groups of 4 and 8 bits: see engine/quant/group_block.h.
#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels::INGLE_ISA::matmul_groups {
namespace {

template <uint32_t kBits, uint32_t kElems>
struct Group {
    static constexpr quant::Quant kQuant = quant::groupQuant(kBits, kElems);
    static constexpr uint32_t kUnitBytes = 4 + kElems * kBits / 8;
    static constexpr uint32_t kUnitBlocks = kElems / kActivationBlock;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = (1u << kBits) - 1;
    static constexpr int kOffsetShift = kOffsetOfUnit;

    static void unpackHead(const Rows& rows, Unit<Group>& unit) {
        const Ints head = gatherInts(rows, 0);
        unit.offset = bitAnd(head, broadcastInt((1 << 13) - 1));
        const Floats scale = asFloats(bitXor(head, unit.offset));
        for (auto& block : unit.scales) block[0] = scale;
    }
    static void unpackBlock(const Rows& rows, Unit<Group>& unit, uint32_t block) {
        Ints(&bytes)[kGroups] = unit.bytes[block];
        if constexpr (kBits == 8) {
            loadColumn(rows, 4 + 32 * block, bytes);
            loadColumn(rows, 20 + 32 * block, bytes + 4);
        } else {
            const Ints nibble = kernels::bytes(15);
            loadColumn(rows, 4 + 16 * block, bytes);
            for (uint32_t g = 0; g < 4; ++g) {
                bytes[4 + g] = bitAnd(shiftRight(bytes[g], 4), nibble);
                bytes[g] = bitAnd(bytes[g], nibble);
            }
        }
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Group<4, 32>>(), blockMatmulEntry<Group<4, 64>>(),
                                    blockMatmulEntry<Group<4, 128>>(), blockMatmulEntry<Group<8, 32>>(),
                                    blockMatmulEntry<Group<8, 128>>()};

}  // namespace

extern const KernelList list = {kEntries, 5};

}  // namespace ingle::kernels::INGLE_ISA::matmul_groups
