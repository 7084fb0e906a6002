/// Instruction sets the kernels are written for. Plain data: ISA-specific files include this.
#pragma once

#include <cstdint>

namespace ingle::base {

/// In order of preference, best last, within one architecture.
enum class Isa : uint8_t { Scalar, Neon, Avx2, AvxVnni, Avx512 };

/// Whether kernels compiled for `needed` run wherever `isa` does. AVX-512 does not bring AVX-VNNI with it.
constexpr bool includes(Isa isa, Isa needed) {
    return needed == isa || (needed < isa && needed != Isa::AvxVnni);
}

}  // namespace ingle::base
