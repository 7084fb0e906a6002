#include "engine/tokenizer/sentencepiece_tokenizer.h"

#include <algorithm>
#include <cmath>

namespace ingle::tokenizer {
namespace {

using formats::TokenizerData;
using formats::TokenType;

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

/// Piece text with U+2581 → space.
std::string unmarkSpaces(std::string_view piece) {
    std::string text;
    while (!piece.empty()) {
        const size_t mark = piece.find(kSpaceMark);
        text += piece.substr(0, mark);
        if (mark == std::string_view::npos) break;
        text += ' ';
        piece.remove_prefix(mark + kSpaceMark.size());
    }
    return text;
}

/// The id of the file, else the default when the vocabulary has it.
std::optional<TokenId> idOr(std::optional<TokenId> id, std::optional<TokenId> fallback,
                            const TokenizerData& data) {
    if (id) return id;
    const bool exists = fallback && static_cast<size_t>(*fallback) < data.tokens.size();
    return exists ? fallback : std::nullopt;
}

}  // namespace

std::optional<uint8_t> byteOfPiece(std::string_view piece) {
    if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return std::nullopt;
    const size_t high = kHexDigits.find(piece[3]);
    const size_t low = kHexDigits.find(piece[4]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    return static_cast<uint8_t>(high << 4 | low);
}

TokenType typeOfPiece(const TokenizerData& data, size_t id) {
    return data.types.empty() ? TokenType::Normal : data.types[id];
}

SentencePieceTokenizer::SentencePieceTokenizer(const TokenizerData& data,
                                               const SentencePieceDefaults& defaults)
    : m_special(data, idOr(data.eos, defaults.eos, data)),
      m_bos(idOr(data.bos, defaults.bos, data)),
      m_eos(idOr(data.eos, defaults.eos, data)),
      m_unknown(idOr(data.unknown, defaults.unknown, data)),
      m_addBos(data.addBos.value_or(defaults.addBos)),
      m_addEos(data.addEos.value_or(defaults.addEos)),
      m_addSpacePrefix(data.addSpacePrefix.value_or(defaults.addSpacePrefix)),
      m_prefixesOnlyFirst(data.prefixesOnlyFirst) {
    m_byteIds.fill(-1);
    for (size_t id = 0; id < data.tokens.size(); ++id) addPiece(data.tokens[id], typeOfPiece(data, id));
}

Status SentencePieceTokenizer::check(const TokenizerData& data) {
    if (data.tokens.empty())
        return fail(ErrorCode::Corrupt, "the vocabulary of the tokenizer '{}' is empty", shown(data.model));
    if (data.scores.size() != data.tokens.size())
        return fail(ErrorCode::Corrupt, "the vocabulary has {} tokens, but {} scores", data.tokens.size(),
                    data.scores.size());
    for (size_t i = 0; i < data.scores.size(); ++i)
        if (std::isnan(data.scores[i]))
            return fail(ErrorCode::Corrupt, "the score of token {} is not a number", i);
    return {};
}

Result<std::vector<TokenId>> SentencePieceTokenizer::encode(std::span<const TextSegment> segments,
                                                            bool addSpecial) const {
    TextMeter meter(segments);
    INGLE_TRY_ASSIGN(const auto fragments, m_special.split(segments, meter));
    std::vector<TokenId> ids;
    const bool spelled = !fragments.empty() && fragments[0].special == m_bos;
    if (addSpecial && m_addBos && m_bos && !spelled) ids.push_back(*m_bos);
    bool takesPrefix = true;
    for (const Fragment& fragment : fragments) {
        if (fragment.special)
            ids.push_back(*fragment.special);
        else
            INGLE_TRY(encodePlain(fragment.text, m_addSpacePrefix && takesPrefix, meter, ids));
        takesPrefix = fragment.special && !m_prefixesOnlyFirst;
    }
    if (addSpecial && m_addEos && m_eos) ids.push_back(*m_eos);
    return ids;
}

bool SentencePieceTokenizer::hasAllBytes() const {
    return std::ranges::all_of(m_byteIds, [](TokenId id) { return id >= 0; });
}

size_t SentencePieceTokenizer::longestPiece() const {
    return hasAllBytes() && m_special.keepsText() ? m_longestText : 0;
}

void SentencePieceTokenizer::pushByte(uint8_t byte, std::vector<TokenId>& ids) const {
    if (m_byteIds[byte] >= 0)
        ids.push_back(m_byteIds[byte]);
    else
        pushUnknown(ids);
}

void SentencePieceTokenizer::pushUnknown(std::vector<TokenId>& ids) const {
    if (m_unknown) ids.push_back(*m_unknown);
}

void SentencePieceTokenizer::addPiece(const std::string& text, TokenType type) {
    std::string bytes;
    if (type == TokenType::Normal) bytes = unmarkSpaces(text);
    if (type == TokenType::UserDefined) bytes = text;
    if (const auto byte = type == TokenType::Byte ? byteOfPiece(text) : std::nullopt) {
        bytes = static_cast<char>(*byte);
        m_byteIds[*byte] = static_cast<TokenId>(m_pieces.size());
    }
    m_pieces.push_back(std::move(bytes));
    m_longestText = std::max(m_longestText, text.size());
}

}  // namespace ingle::tokenizer
