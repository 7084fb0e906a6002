/// What sentence-transformers keeps beside a model: how the rows of a text become one, which layers stand
/// behind that, and what is written in front of texts.
#pragma once

#include "engine/formats/checkpoint/checkpoint.h"
#include "engine/formats/checkpoint/config.h"
#include "engine/formats/checkpoint/translation.h"

namespace ingle::formats {

/// Adds the configurations of modules to that of the model, under "pooling.", "dense_2." and "dense_3.", and
/// the layers' weights to its tensors; what stands in front of texts, under "sentence_transformers."; nothing
/// where there is no modules.json. Errors: Corrupt, Unsupported (modules that are not known), those of
/// openCheckpoint().
Status addModules(Checkpoint& checkpoint, const io::Source& source, Config& config);
/// Sets the keys that follow from them. Errors: Unsupported.
Status setModules(Translation& translation);

}  // namespace ingle::formats
