/// Matrices of MXFP4 as folders have them: two levels in a byte, the first in its low half, and an exponent
/// for 32 neighbours of a row. Source: Rouhani et al., "OCP Microscaling Formats (MX) Specification" (2023),
/// section 5.
#pragma once

#include <string>

#include "engine/formats/checkpoint/packed_scheme.h"

namespace ingle::formats {

/// `exponents`, U8 [(matrices,) rows, columns / 32], of as many levels as lie in `halves`, as a tensor called
/// `name`. Errors: Corrupt (the two do not fit, or the name is taken).
Status enterMxfp4(Checkpoint& checkpoint, std::string name, const StoredTensor& halves,
                  const StoredTensor& exponents);

}  // namespace ingle::formats
