/// Instruction sets the kernels are written for. Plain data: ISA-specific files include this.
#pragma once

#include <cstdint>

namespace ingle::base {

/// In order of preference, best last, within one architecture.
enum class Isa : uint8_t { Scalar, Neon, Avx2, AvxVnni, Avx512 };

}  // namespace ingle::base
