/// Models whose GGUF file was split: <prefix>-00001-of-00003.gguf and its siblings.
#pragma once

#include <cstddef>
#include <span>

#include "engine/formats/model_file.h"

namespace ingle::formats::gguf {

/// Joins the other parts, which lie beside `source`, to `model`, which it was read from, one part whichever
/// it is; leaves a model in one file alone. The first part has the metadata and the tokenizer, each part a
/// directory and data of its own. `readPart` reads the bytes of one. Source: llama.cpp's gguf-split (keys
/// split.no, split.count, split.tensors.count). Errors: Io (a part that is missing), Corrupt (parts that do
/// not belong together), and those of readPart.
Status joinShards(ModelFile& model, const io::Source& source,
                  Result<ModelFile> (*readPart)(std::span<const std::byte> file));

}  // namespace ingle::formats::gguf
