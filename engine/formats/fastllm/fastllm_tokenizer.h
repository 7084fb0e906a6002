/// The vocabulary of a FastLLM file, and the parts of its prompt as a template.
#pragma once

#include "engine/formats/checkpoint/tokenizer_files.h"
#include "engine/formats/fastllm/fastllm_file.h"

namespace ingle::formats {

/// Kind "none" where the file has no tokens. Pieces merge as those of SentencePiece do: of all neighbours
/// whose joined text is a piece, the pair of the highest score first; bytes in their alphabet as those of
/// `words`, the family's. Errors: Corrupt, Unsupported.
Result<TokenizerData> tokenizerOf(const FastLlmFile& file, const WordRules& words);

/// The template that pre_prompt, user_role, bot_role and history_sep are; none where the file has none of
/// them. Marks of the prompt become special tokens.
void setPrompt(const FastLlmFile& file, std::string_view family, TokenizerData& data);

}  // namespace ingle::formats
