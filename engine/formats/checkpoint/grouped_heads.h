/// Matrices of queries, keys and values in one, by heads of keys.
#pragma once

#include "engine/formats/checkpoint/translation.h"

namespace ingle::formats {

/// For each head of keys the rows of its queries, its own, and those of its values: they become tensors of
/// their own, whose name is Place::name with "q", "k" and "v" in place of "*". Matrices and biases, once the
/// keys of attention are set. Errors: Corrupt, Unsupported.
Status splitGroupedHeads(Translation& translation, const StoredTensor& stored, const Place& place);

/// The same where all queries come first, then all keys and all values.
Status splitHeads(Translation& translation, const StoredTensor& stored, const Place& place);
/// … of a matrix that lies transposed.
Status splitTransposedHeads(Translation& translation, const StoredTensor& stored, const Place& place);

}  // namespace ingle::formats
