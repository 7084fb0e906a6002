/// What sentence-transformers keeps beside a model of texts' embeddings: modules.json, and how the rows of a
/// text become one in a folder of its own.
#pragma once

#include "engine/formats/checkpoint/checkpoint.h"
#include "engine/formats/checkpoint/config.h"

namespace ingle::formats {

/// Adds the configuration of pooling to that of the model, under "pooling."; nothing where there is no
/// modules.json. Files become the checkpoint's. Errors: Corrupt, Io, Unsupported (a module that changes rows
/// after they were pooled, but to make their length 1).
Status addPooling(Checkpoint& checkpoint, const io::Source& source, Config& config);

}  // namespace ingle::formats
