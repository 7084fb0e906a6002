/// The tokenizer keys of a GGUF file as TokenizerData.
#pragma once

#include "engine/formats/model_file.h"

namespace ingle::formats {

/// Reads tokenizer.ggml.* and tokenizer.chat_template. A file without tokenizer.ggml.model gets model "none";
/// ids outside the vocabulary are left out. Errors: Corrupt when a key has the wrong type or an array is
/// shorter than the vocabulary.
Result<TokenizerData> readTokenizerData(const Metadata& metadata);

}  // namespace ingle::formats
