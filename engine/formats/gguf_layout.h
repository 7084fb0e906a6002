/// Models in the form that files of other formats have.
#pragma once

#include "engine/formats/model_file.h"

namespace ingle::formats {

/// Puts the rows of queries and keys into the order of the family's GGUF files, or from there into halves
/// (only asked for of families whose GGUF files rotate neighbours), see RotaryPairs; and value heads into
/// that of GGUF files, see value_heads.h. Nothing is copied but vectors: matrices get tables of rows. Errors:
/// Corrupt (sizes that contradict each other), Unsupported (scales for several rows), OutOfMemory.
Status layOutRotaryPairs(ModelFile& model, RotaryPairs wanted);

/// Makes attn_qkv of attn_q, attn_k and attn_v, where GGUF files of the family have that: matrices by tables
/// of rows, vectors as floats. Errors: Unsupported (parts that are stored differently), OutOfMemory.
Status joinHeads(ModelFile& model);

}  // namespace ingle::formats
