/// Tokenizers as Hugging Face keeps them: tokenizer.json or tokenizer.model, or a vocabulary alone;
/// tokenizer_config.json, a chat template, generation_config.json.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/checkpoint/checkpoint.h"
#include "engine/formats/model_file.h"

namespace ingle::formats {

/// More than any vocabulary has.
constexpr uint64_t kMaxTokens = uint64_t{1} << 24;

/// How text becomes words where a vocabulary is a list of bytes, which does not say it.
struct WordRules {
    std::string_view preTokenizer = {};  ///< tokenizer.ggml.pre, "" where nobody knows
    std::span<const TextStep> textSteps = {};
};

/// The tokenizer beside `source`; kind "none" where there is none. Files become the checkpoint's. `words`:
/// the family's, see Architecture.
/// Errors begin with the path of the file: Corrupt, Unsupported (a rule of cutting text that no tokenizer
/// here has, or none).
Result<TokenizerData> readTokenizerFiles(Checkpoint& checkpoint, const io::Source& source,
                                         const WordRules& words);

/// Sets general.sampling.* as the model's authors suggest. Errors: Corrupt.
Status readSampling(Checkpoint& checkpoint, const io::Source& source, Metadata& metadata);

/// As many tokens as the model has rows for: unused ones are added, those without a row taken away.
void fitVocabulary(TokenizerData& data, uint64_t numTokens);

/// A token that a file adds to the vocabulary, or names as one of those that are no text.
struct AddedToken {
    uint64_t id = 0;
    std::string content;
    bool isSpecial = false;
    TokenSearch search = {};
};

/// What all these files say: a vocabulary, without the roles of its special tokens.
struct Vocabulary {
    TokenizerData data;
    std::vector<AddedToken> added;
};

/// Errors: Corrupt, Unsupported.
Result<Vocabulary> parseTokenizerJson(std::string_view text);
/// A model of SentencePiece. Source: google/sentencepiece, src/sentencepiece_model.proto; protobuf's
/// encoding. Errors: Corrupt, Unsupported.
Result<Vocabulary> parseSentencePiece(std::string_view bytes);
/// vocab.json (token → id, in the byte alphabet) and merges.txt ("left right", a line each). Errors: Corrupt,
/// Unsupported (no pre-tokenizer).
Result<Vocabulary> parseVocabularyAndMerges(std::string_view vocabulary, std::string_view merges,
                                            const WordRules& words);
/// Whether the first line is one of tiktoken's: the bytes of a token in Base64, and its rank.
bool isTiktoken(std::string_view text);
/// Such lines. Its merges are all pairs of tokens that make a token, in the order of its rank, so that the
/// tokenizer of vocabularies with merges does what tiktoken does. Errors: as before.
Result<Vocabulary> parseTiktoken(std::string_view text, const WordRules& words);
/// tekken.json of Mistral AI. Errors: Corrupt, Unsupported (its pattern).
Result<Vocabulary> parseTekken(std::string_view text);
/// Every way to make a token of two others, in the order of its rank, and then of theirs, in the byte
/// alphabet; tokens: bytes by their ranks. Source: transformers,
/// src/transformers/convert_slow_tokenizer.py, TikTokenConverter. Errors: Corrupt (too long ones).
Result<std::vector<std::string>> mergesOfRanks(std::span<const std::string> tokens);
/// vocab.txt of BERT: a token a line, parts within words marked by "##". Text steps are the caller's. Errors:
/// Corrupt.
Result<Vocabulary> parseWordList(std::string_view text);

/// The texts of a vocabulary by their ids, most of which are there. Errors: Corrupt (an id twice, or far
/// behind the others).
Status setTokens(std::span<const std::pair<std::string, uint64_t>> ids, TokenizerData& data);
/// Tokens of WordPiece as GGUF has them: what begins a word is marked, what `inner` marks is not.
void spellWordPieces(TokenizerData& data, std::string_view inner);
/// What BertNormalizer does to text: small letters, and nothing said, then without accents.
std::vector<TextStep> stepsOfWords(bool isLower, std::optional<bool> dropsAccents);
/// Ids under a key, a number or a list of them, that such a vocabulary has.
std::vector<TokenId> idsOf(const Metadata& keys, std::string_view key, size_t numTokens);
/// Enters tokens under their ids; there may be many more than the vocabulary has. Errors: Corrupt.
Status addTokens(TokenizerData& data, std::span<const AddedToken> added);

}  // namespace ingle::formats
