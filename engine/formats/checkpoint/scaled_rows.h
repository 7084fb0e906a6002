/// Weights that are stored without factors which a configuration states.
#pragma once

#include <span>

#include "engine/formats/checkpoint/translation.h"

namespace ingle::formats {

/// So many rows of a matrix are multiplied by this.
struct RowFactor {
    uint64_t rows;
    double factor;
};

/// Enters a matrix whose rows are multiplied, as floats; as it lies where all factors are 1. Errors: Corrupt
/// (factors for another number of rows), Unsupported (one that is packed).
Status placeScaled(Translation& translation, const StoredTensor& stored, const Place& place,
                   std::span<const RowFactor> factors);

}  // namespace ingle::formats
