/// Folders of Hugging Face whose model sees: its tower and projector lie among the tensors of the text model.
#pragma once

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/model_file.h"

namespace ingle::formats {

/// The part that sees, in the terms of vision files, without the files that it lies in. Errors: Corrupt;
/// Unsupported where the model of the folder has no such part that is known here.
Result<ModelFile> translateVision(Checkpoint& checkpoint, const io::Source& source);

// Changes of vision parts.

/// Kernels of a convolution over two frames, [dim, 3, 2, patch, patch]: a matrix for each frame.
Status splitFrames(Translation& translation, const StoredTensor& stored, const Place& place);

}  // namespace ingle::formats
