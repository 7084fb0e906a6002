/// Matrices of experts that are stored transposed, all in one tensor.
#pragma once

#include "engine/formats/checkpoint/translation.h"

namespace ingle::formats {

/// Stored [experts, columns, rows]. Errors: as of transposed(), Corrupt (the name is taken).
Status placeTransposed(Translation& translation, const StoredTensor& stored, const Place& place);
/// Stored [experts, columns, rows of gate, then of up]: the two as tensors of their own. Place::name holds
/// "*" for "gate" and "up". Errors: the same.
Status splitTransposedGateUp(Translation& translation, const StoredTensor& stored, const Place& place);

}  // namespace ingle::formats
