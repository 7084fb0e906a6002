/// Matrices of NVFP4 as folders have them: two levels in a byte, the first in its low half; a scale of
/// F8_E4M3 for 16 neighbours of a row; one number for the whole. Source: NVIDIA, "Pretraining Large Language
/// Models with NVFP4" (2025), section 2.
#pragma once

#include <string>

#include "engine/formats/checkpoint/packed_scheme.h"

namespace ingle::formats {

/// What stands for a matrix of [rows, columns].
struct Nvfp4Parts {
    StoredTensor levels;    ///< U8 [rows, columns / 2]
    StoredTensor scales;    ///< F8_E4M3 [rows, columns / 16]
    float factor = 1;       ///< of all values
    uint64_t matrices = 1;  ///< that lie below each other
};

/// The only number of a tensor of one. Errors: Corrupt.
Result<float> onlyNumber(const StoredTensor& stored);

/// Enters `module`.weight. Errors: Corrupt (the parts do not fit), Unsupported (columns that are no multiple
/// of 64).
Status enterNvfp4(Checkpoint& checkpoint, const std::string& module, const Nvfp4Parts& parts);

}  // namespace ingle::formats
