/// Text ↔ token ids. One file per kind: engine/tokenizer/kinds/<name>.cpp defines `extern const TokenizerKind
/// tokenizer` in the namespace `<name>_tokenizer`.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/model_file.h"
#include "ingle/engine.h"

namespace ingle::tokenizer {

/// A run of prompt text with its origin: only text that comes from a template is parsed for special tokens,
/// so that nobody's message can forge a turn.
struct TextSegment {
    std::string text;
    bool parseSpecial = false;
};

/// Immutable after creation: any thread.
class Tokenizer {
  public:
    virtual ~Tokenizer() = default;

    virtual size_t vocabSize() const = 0;
    /// Ids of the bytes of the segments, in order, after the vocabulary's text steps where it has any; with
    /// addSpecial, BOS/EOS are added as the vocabulary asks (a BOS that the first segment already spells is
    /// not doubled). Text of any bytes is accepted.
    virtual Result<std::vector<TokenId>> encode(std::span<const TextSegment> segments,
                                                bool addSpecial) const = 0;
    /// Of the segments' text no id stands for more bytes than so many; 0: one may stand for any number, where
    /// text is changed or left out before it is cut.
    virtual size_t mostBytesPerId() const { return 0; }
    /// Raw bytes of one token inside a text; control and unknown tokens give nothing. `id` must be <
    /// vocabSize().
    virtual std::string pieceBytes(TokenId id) const = 0;
    /// True when a whole decoded text must lose one leading space (the dummy prefix of SentencePiece
    /// vocabularies).
    virtual bool dropsLeadingSpace() const = 0;
    /// True for ids that end an answer (eos, eot, eom, and the usual end texts).
    virtual bool isEndOfGeneration(TokenId id) const = 0;
};

struct TokenizerKind {
    std::string_view model;  ///< value of TokenizerData::model it serves
    Result<std::unique_ptr<Tokenizer>> (*create)(const formats::TokenizerData& data);
};

std::span<const TokenizerKind* const> allTokenizers();

/// Errors: Unsupported, naming the tokenizer or pre-tokenizer; Corrupt when the arrays contradict each other.
/// Null (not an error) for model "none": such files work with ids only.
Result<std::unique_ptr<Tokenizer>> createTokenizer(const formats::TokenizerData& data);

/// The bytes of a whole id sequence. Errors: InvalidArgument for an id outside the vocabulary.
Result<std::string> decode(const Tokenizer& tokenizer, std::span<const TokenId> ids);

}  // namespace ingle::tokenizer
