/// What the vocabularies of SentencePiece have in common, whichever way they cut text: pieces in which U+2581
/// stands for a space, scores, byte pieces, and a space in front of plain text.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/special_tokens.h"

namespace ingle::tokenizer {

inline constexpr std::string_view kSpaceMark = "\u2581";

/// What holds where the file is silent.
struct SentencePieceDefaults {
    std::optional<TokenId> bos, eos, unknown;  ///< ignored when outside the vocabulary
    bool addBos, addEos, addSpacePrefix;
};

/// The byte of "<0x41>"; nothing for any other text.
std::optional<uint8_t> byteOfPiece(std::string_view piece);

/// Normal when the file has no types. `id` must be < data.tokens.size().
formats::TokenType typeOfPiece(const formats::TokenizerData& data, size_t id);

/// Source of the prefix and byte rules: llama.cpp's llama-vocab.cpp.
class SentencePieceTokenizer : public Tokenizer {
  public:
    size_t vocabSize() const override { return m_pieces.size(); }
    std::string pieceBytes(TokenId id) const override { return m_pieces[static_cast<size_t>(id)]; }
    bool dropsLeadingSpace() const override { return m_addSpacePrefix; }
    bool isEndOfGeneration(TokenId id) const override { return m_special.isEndOfGeneration(id); }
    Result<std::vector<TokenId>> encode(std::span<const TextSegment> segments,
                                        bool addSpecial) const override;

  protected:
    SentencePieceTokenizer(const formats::TokenizerData& data, const SentencePieceDefaults& defaults);

    /// Errors: Corrupt when the vocabulary is empty, or not every token has a score that is a number.
    static Status check(const formats::TokenizerData& data);

    /// Appends the ids of text without special tokens; `isPrefixed` asks for a space in front of it. Errors:
    /// as TextMeter.
    virtual Status encodePlain(const std::string& text, bool isPrefixed, TextMeter& meter,
                               std::vector<TokenId>& ids) const = 0;

    /// True when every byte has a token, so that no text is unknown.
    bool hasAllBytes() const;
    /// As mostBytesPerId(), where encodePlain() leaves nothing out. A piece's mark may stand for itself.
    size_t longestPiece() const;
    /// Appends the token of a byte, or the unknown one.
    void pushByte(uint8_t byte, std::vector<TokenId>& ids) const;
    void pushUnknown(std::vector<TokenId>& ids) const;

  private:
    void addPiece(const std::string& text, formats::TokenType type);

    SpecialTokens m_special;
    std::optional<TokenId> m_bos, m_eos, m_unknown;
    bool m_addBos, m_addEos, m_addSpacePrefix, m_prefixesOnlyFirst;
    std::vector<std::string> m_pieces;  // what each id decodes to
    size_t m_longestText = 0;           // of a piece, as the file has it
    std::array<TokenId, 256> m_byteIds;
};

}  // namespace ingle::tokenizer
