/// RWKV as its authors publish it: tensors only, whose names say which version it is.
#pragma once

#include "engine/formats/checkpoint/checkpoint.h"

namespace ingle::formats {

bool isRwkv(const Checkpoint& checkpoint);

/// Tensors, keys and kind of tokenizer. What the authors' code makes of numbers before it computes with them
/// is made here. Source: BlinkDL's ChatRWKV, rwkv_pip_package/src/rwkv/model.py; rwkv.cpp's
/// python/convert_pytorch_to_ggml.py. Errors: Corrupt, Unsupported.
Result<ModelFile> translateRwkv(const Checkpoint& checkpoint);

}  // namespace ingle::formats
