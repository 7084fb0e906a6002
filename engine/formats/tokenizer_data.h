/// The tokenizer keys of a GGUF file as TokenizerData, and the reverse.
#pragma once

#include "engine/formats/model_file.h"

namespace ingle::formats {

/// Reads tokenizer.ggml.*, tokenizer.chat_template and its variants. A file without tokenizer.ggml.model gets
/// model "none"; ids outside the vocabulary are left out. Errors: Corrupt when a key has the wrong type or an
/// array is shorter than the vocabulary.
Result<TokenizerData> readTokenizerData(const Metadata& metadata);

/// Sets the keys that readTokenizerData() reads as `data`. The kind "bytes" is unknown to other engines: it
/// is written as a vocabulary of 256 bytes for "rwkv", which gives them the same ids but for byte 0 (to them
/// the end of a document), with a pre-tokenizer that tells this engine what it is. Text steps have keys where
/// the kind is "bert", and are left out elsewhere: text of such files is cut as other readers of GGUF do it.
void writeTokenizerData(const TokenizerData& data, Metadata& metadata);

}  // namespace ingle::formats
