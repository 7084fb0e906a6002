/// The identity of a block format: plain data, so that kernel files compiled for one instruction set may
/// include it.
#pragma once

#include <cstdint>

namespace ingle::quant {

/// A block format's number: in GGUF files, or beyond their range. A strong integer and not an enum, so that
/// nothing can switch on it.
struct Quant {
    uint16_t id = 0;
    friend constexpr bool operator==(Quant, Quant) = default;
    friend constexpr bool operator<(Quant a, Quant b) { return a.id < b.id; }
};

/// Numbers from here on are of formats that GGUF files do not have; their readers find them by name.
inline constexpr uint16_t kFirstForeignId = 0x8000;

/// Blocks of 32, 64 or 128 values of 4 bits, or 32 or 128 of 8, with a scale and a zero:
/// engine/quant/group_block.h.
constexpr Quant groupQuant(uint32_t bits, uint32_t elems) {
    return {static_cast<uint16_t>(kFirstForeignId + bits + elems / 64)};
}
inline constexpr Quant kF8E4M3{kFirstForeignId + 1};

// Of GGUF files (ggml_type in ggml.h).
inline constexpr Quant kF32{0};
inline constexpr Quant kF16{1};
inline constexpr Quant kQ4_0{2};
inline constexpr Quant kQ4_1{3};
inline constexpr Quant kQ5_0{6};
inline constexpr Quant kQ5_1{7};
inline constexpr Quant kQ8_0{8};
inline constexpr Quant kQ2_K{10};
inline constexpr Quant kQ3_K{11};
inline constexpr Quant kQ4_K{12};
inline constexpr Quant kQ5_K{13};
inline constexpr Quant kQ6_K{14};
inline constexpr Quant kIQ2_XXS{16};
inline constexpr Quant kIQ2_XS{17};
inline constexpr Quant kIQ3_XXS{18};
inline constexpr Quant kIQ1_S{19};
inline constexpr Quant kIQ4_NL{20};
inline constexpr Quant kIQ3_S{21};
inline constexpr Quant kIQ2_S{22};
inline constexpr Quant kIQ4_XS{23};
inline constexpr Quant kIQ1_M{29};
inline constexpr Quant kBF16{30};
inline constexpr Quant kTQ1_0{34};
inline constexpr Quant kTQ2_0{35};
inline constexpr Quant kMXFP4{39};
inline constexpr Quant kNVFP4{40};
inline constexpr Quant kQ1_0{41};
inline constexpr Quant kQ2_0{42};

// Integers whose scales lie beside them: engine/quant/integers.h.
inline constexpr Quant kInt8{0x8100};   ///< a signed byte each
inline constexpr Quant kUint8{0x8101};  ///< a byte each
inline constexpr Quant kUint4{0x8102};  ///< two in a byte, the first in its high nibble

}  // namespace ingle::quant
