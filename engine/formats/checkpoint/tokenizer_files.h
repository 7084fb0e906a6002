/// Tokenizers as Hugging Face keeps them: tokenizer.json or tokenizer.model, tokenizer_config.json, a chat
/// template, generation_config.json.
#pragma once

#include "engine/formats/checkpoint/checkpoint.h"
#include "engine/formats/model_file.h"

namespace ingle::formats {

/// The tokenizer beside `source`; kind "none" where there is none. Files become the checkpoint's. Errors
/// begin with the path of the file: Corrupt, Unsupported (a rule of cutting text that no tokenizer here has).
Result<TokenizerData> readTokenizerFiles(Checkpoint& checkpoint, const io::Source& source);

/// Sets general.sampling.* as the model's authors suggest. Errors: Corrupt.
Status readSampling(Checkpoint& checkpoint, const io::Source& source, Metadata& metadata);

/// As many tokens as the model has rows for: unused ones are added, those without a row taken away.
void fitVocabulary(TokenizerData& data, uint64_t numTokens);

/// A token that tokenizer.json or tokenizer_config.json adds to the vocabulary.
struct AddedToken {
    uint64_t id = 0;
    std::string content;
    bool isSpecial = false;
};

/// What tokenizer.json and tokenizer.model both say: a vocabulary, without the names of its special tokens.
struct Vocabulary {
    TokenizerData data;
    std::vector<AddedToken> added;
};

/// Errors: Corrupt, Unsupported.
Result<Vocabulary> parseTokenizerJson(std::string_view text);
/// A model of SentencePiece. Source: google/sentencepiece, src/sentencepiece_model.proto; protobuf's
/// encoding. Errors: Corrupt, Unsupported.
Result<Vocabulary> parseSentencePiece(std::string_view bytes);

/// Enters tokens under their ids; there may be many more than the vocabulary has. Errors: Corrupt.
Status addTokens(TokenizerData& data, std::span<const AddedToken> added);

}  // namespace ingle::formats
