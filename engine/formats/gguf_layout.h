/// Models of other formats in the form that GGUF files have.
#pragma once

#include "engine/formats/model_file.h"

namespace ingle::formats {

/// Puts the rows of queries and keys into the order of the family's GGUF files, see RotaryPairs. Nothing is
/// copied but vectors: matrices get tables of rows. Errors: Corrupt (sizes that contradict each other),
/// OutOfMemory.
Status layOutAsGguf(ModelFile& model);

}  // namespace ingle::formats
