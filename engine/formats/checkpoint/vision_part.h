/// Folders of Hugging Face whose model sees: its tower and projector lie among the tensors of the text model.
#pragma once

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/model_file.h"

namespace ingle::formats {

/// The part that sees, in the terms of vision files, without the files that it lies in. Errors: Corrupt;
/// Unsupported where the model of the folder has no such part that is known here.
Result<ModelFile> translateVision(Checkpoint& checkpoint, const io::Source& source);

// What configurations of vision parts have in common: keys of config.json that begin with "vision_config.".

/// Sets "vision.<key>"; `usual` where it is silent. Errors: Corrupt.
Status setVisionSize(Translation& translation, std::string_view key, std::string_view from, uint32_t usual);
/// The same of a side that may be stated as two numbers. Errors: Unsupported, where they differ.
Status setVisionSide(Translation& translation, std::string_view key, std::string_view from, uint32_t usual);
/// Sets the activation of the tower from `key`. Errors: Unsupported.
Status setTowerActivation(Translation& translation, std::string_view key, std::string_view usual);
/// … and that of the projector, from "projector_hidden_act".
Status setProjectorActivation(Translation& translation);
/// vision_config.<key>, with a minus counted from the end: how many layers a feature is behind. -1: the last
/// one. Errors: Corrupt.
Result<std::vector<int64_t>> featureLayers(const Translation& translation, std::string_view key,
                                           int64_t usual);
/// Pictures are resized as the model's own code does it, and not as llama.cpp: stretched to their size.
void setOwnResizing(Translation& translation);
/// Sets the least and the most pixels of a picture, from min_pixels and max_pixels, or from
/// size.shortest_edge and size.longest_edge. Errors: Corrupt, Unsupported.
Status setPixelLimits(Translation& translation, const Config& pixels);

// Changes of vision parts.

/// Kernels of a convolution over two frames, [dim, 3, 2, patch, patch]: a matrix for each frame.
Status splitFrames(Translation& translation, const StoredTensor& stored, const Place& place);

}  // namespace ingle::formats
