// Unigram vocabularies of SentencePiece (T5 and others): of all ways to cut a text into pieces, the one with
// the highest sum of scores. Own code instead of libsentencepiece, which follows the offsets of a character
// map without looking whether they lie inside it. Source: Kudo 2018, "Subword Regularization", section 3.2;
// sentencepiece's unigram_model.cc and normalizer.cc; llama.cpp's llama-vocab.cpp for the defaults.
#include <algorithm>
#include <limits>
#include <span>

#include "engine/tokenizer/character_map.h"
#include "engine/tokenizer/sentencepiece_tokenizer.h"
#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer::t5_tokenizer {
namespace {

using formats::TokenizerData;
using formats::TokenType;

constexpr double kUnknownPenalty = 10;
constexpr size_t kMaxPieceBytes = 1024;  // bounds the time per byte of text
constexpr TokenId kUnknownPiece = -1;

/// Leading and trailing spaces go, inner runs become one.
std::string withoutExtraSpaces(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
    if (out.ends_with(' ')) out.pop_back();
    return out;
}

std::string markSpaces(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == ' ')
            out += kSpaceMark;
        else
            out += c;
    }
    return out;
}

class T5Tokenizer final : public SentencePieceTokenizer {
  public:
    static Result<std::unique_ptr<Tokenizer>> create(const TokenizerData& data) {
        INGLE_TRY(check(data));
        for (size_t id = 0; id < data.tokens.size(); ++id)
            if (data.tokens[id].size() > kMaxPieceBytes)
                return fail(ErrorCode::Corrupt, "token {} is longer than {} bytes", id, kMaxPieceBytes);
        INGLE_TRY_ASSIGN(CharacterMap map, CharacterMap::create(data.characterMap));
        return std::unique_ptr<Tokenizer>(new T5Tokenizer(data, std::move(map)));
    }

  private:
    struct Piece {
        std::string text;
        TokenId id;
        float score;
    };

    /// The best way to cut the text up to some place: its last piece.
    struct Cut {
        static constexpr size_t kNone = std::numeric_limits<size_t>::max();
        size_t begin = kNone;
        TokenId id = kUnknownPiece;
        double score = 0;
    };

    T5Tokenizer(const TokenizerData& data, CharacterMap map)
        : SentencePieceTokenizer(data, {.bos = std::nullopt,
                                        .eos = 1,
                                        .unknown = 2,
                                        .addBos = false,
                                        .addEos = true,
                                        .addSpacePrefix = false}),
          m_map(std::move(map)),
          m_removeExtraSpaces(data.removeExtraSpaces.value_or(false)) {
        for (size_t id = 0; id < data.tokens.size(); ++id)
            if (typeOfPiece(data, id) == TokenType::Normal && !data.tokens[id].empty())
                m_sorted.push_back({data.tokens[id], static_cast<TokenId>(id), data.scores[id]});
        std::ranges::stable_sort(m_sorted, {}, &Piece::text);
        const auto sameText = [](const Piece& a, const Piece& b) { return a.text == b.text; };
        m_sorted.erase(std::unique(m_sorted.begin(), m_sorted.end(), sameText), m_sorted.end());
        if (!m_sorted.empty())
            m_unknownScore = std::ranges::min(m_sorted, {}, &Piece::score).score - kUnknownPenalty;
    }

    Status encodePlain(const std::string& plain, bool isPrefixed, TextMeter& meter,
                       std::vector<TokenId>& ids) const override {
        INGLE_TRY_ASSIGN(std::string text, m_map.apply(plain));
        INGLE_TRY(meter.spend(text.size()));
        if (m_removeExtraSpaces) text = withoutExtraSpaces(text);
        if (text.empty()) return {};
        text = markSpaces((isPrefixed ? " " : "") + text);
        INGLE_TRY_ASSIGN(const std::vector<Cut> cuts, bestCuts(text, meter));
        pushPieces(text, cuts, ids);
        return {};
    }

    /// The Viterbi path: for each place in `text`, the best cut that ends there.
    Result<std::vector<Cut>> bestCuts(std::string_view text, TextMeter& meter) const {
        std::vector<Cut> cuts(text.size() + 1);
        cuts[0].begin = 0;
        for (size_t begin = 0; begin < text.size(); ++begin) {
            if (cuts[begin].begin == Cut::kNone) continue;  // no piece ends here
            const auto offer = [&](size_t bytes, TokenId id, double score) {
                const double sum = cuts[begin].score + score;
                Cut& cut = cuts[begin + bytes];
                if (cut.begin == Cut::kNone || sum > cut.score) cut = {begin, id, sum};
            };
            const std::string_view rest = text.substr(begin);
            const size_t characterBytes = firstUtf8Part(rest).bytes;
            bool isKnown = false;
            INGLE_TRY(forEachPrefix(rest, meter, [&](const Piece& piece) {
                offer(piece.text.size(), piece.id, piece.score);
                isKnown |= piece.text.size() == characterBytes;
            }));
            if (!isKnown) offer(characterBytes, kUnknownPiece, m_unknownScore);
        }
        return cuts;
    }

    /// Calls visit(piece) for the pieces that `text` starts with, shortest first: the sorted pieces are
    /// narrowed down byte by byte, and of those left, a piece that ends there comes first.
    template <typename Visit>
    Status forEachPrefix(std::string_view text, TextMeter& meter, Visit visit) const {
        std::span<const Piece> left = m_sorted;
        for (size_t depth = 0; depth < text.size(); ++depth) {
            INGLE_TRY(meter.spend(1));
            const auto byteAtDepth = [depth](const Piece& piece) {
                return static_cast<uint8_t>(piece.text[depth]);
            };
            const auto byte = static_cast<uint8_t>(text[depth]);
            const auto first = std::lower_bound(
                left.begin(), left.end(), byte,
                [&](const Piece& piece, uint8_t wanted) { return byteAtDepth(piece) < wanted; });
            const auto last = std::upper_bound(
                first, left.end(), byte,
                [&](uint8_t wanted, const Piece& piece) { return wanted < byteAtDepth(piece); });
            left = {first, last};
            if (left.empty()) return {};
            if (left.front().text.size() != depth + 1) continue;
            visit(left.front());
            left = left.subspan(1);
        }
        return {};
    }

    /// Unknown characters side by side are one unknown token, unless every byte has a token of its own.
    void pushPieces(std::string_view text, const std::vector<Cut>& cuts, std::vector<TokenId>& ids) const {
        std::vector<size_t> ends;
        for (size_t end = text.size(); end > 0; end = cuts[end].begin) ends.push_back(end);
        const bool spellsBytes = hasAllBytes();
        TokenId previous = 0;
        for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
            const Cut& cut = cuts[*end];
            if (cut.id != kUnknownPiece)
                ids.push_back(cut.id);
            else if (spellsBytes)
                for (const char c : text.substr(cut.begin, *end - cut.begin))
                    pushByte(static_cast<uint8_t>(c), ids);
            else if (previous != kUnknownPiece)
                pushUnknown(ids);
            previous = cut.id;
        }
    }

    CharacterMap m_map;
    bool m_removeExtraSpaces;
    std::vector<Piece> m_sorted;  // normal ones by text, each text once
    double m_unknownScore = -kUnknownPenalty;
};

}  // namespace

extern const TokenizerKind tokenizer{.model = "t5", .create = T5Tokenizer::create};

}  // namespace ingle::tokenizer::t5_tokenizer
