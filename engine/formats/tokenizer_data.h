/// The tokenizer keys of a GGUF file as TokenizerData, and the reverse.
#pragma once

#include "engine/formats/model_file.h"

namespace ingle::formats {

/// Reads tokenizer.ggml.* and tokenizer.chat_template. A file without tokenizer.ggml.model gets model "none";
/// ids outside the vocabulary are left out. Errors: Corrupt when a key has the wrong type or an array is
/// shorter than the vocabulary.
Result<TokenizerData> readTokenizerData(const Metadata& metadata);

/// Sets the keys that readTokenizerData() reads as `data`. Token ids that are bytes ("bytes", unknown to
/// other engines) become a vocabulary of 256 bytes for "rwkv", which gives the same ids and the same text.
void writeTokenizerData(const TokenizerData& data, Metadata& metadata);

}  // namespace ingle::formats
