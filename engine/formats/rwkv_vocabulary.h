/// The vocabulary file of RWKV World, rwkv_vocab_v20230424.txt: one token a line, "ID LITERAL LENGTH", where
/// the literal is a str or bytes of Python and the length its bytes. Source: ChatRWKV's rwkv_tokenizer.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/model_file.h"
#include "ingle/result.h"

namespace ingle::formats {

constexpr std::string_view kRwkvVocabularyName = "rwkv_vocab_v20230424.txt";

/// The tokens by id, escaped as GGUF files of model "rwkv" hold them; ids that no line names are empty.
/// Errors: Corrupt, with the line.
Result<std::vector<std::string>> parseRwkvVocabulary(std::string_view text);

/// Gives a model whose tokenizer is "rwkv" without tokens those of the file beside `source`, if there is one.
/// Errors: Corrupt, Io, naming that file.
Status addRwkvVocabulary(ModelFile& model, const io::Source& source);

}  // namespace ingle::formats
