// SentencePiece BPE as GGUF files of model "llama" hold it: pieces, scores and types. The vocabulary is
// handed to libsentencepiece as a serialized ModelProto that is written here by hand, since linking protobuf
// itself would clash with the copy that libsentencepiece exports. Source of the layout: sentencepiece's
// sentencepiece_model.proto and protobuf's encoding guide; of the prefix and byte rules: llama.cpp's
// llama-vocab.cpp.
#include <sentencepiece_processor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer {
namespace {

using formats::TokenizerData;
using formats::TokenType;

constexpr std::string_view kSpaceMark = "\u2581";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

/// A protobuf message under construction.
class ProtoMessage {
  public:
    void varint(uint32_t field, uint64_t value) {
        rawVarint(field << 3);
        rawVarint(value);
    }
    void fixed32(uint32_t field, float value) {
        rawVarint(field << 3 | 5);
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        m_bytes.append(bytes, sizeof bytes);
    }
    void bytes(uint32_t field, std::string_view value) {
        rawVarint(field << 3 | 2);
        rawVarint(value.size());
        m_bytes += value;
    }
    const std::string& text() const { return m_bytes; }

  private:
    void rawVarint(uint64_t value) {
        for (; value >= 0x80; value >>= 7) m_bytes += static_cast<char>(value | 0x80);
        m_bytes += static_cast<char>(value);
    }

    std::string m_bytes;
};

/// The byte of "<0x41>".
std::optional<uint8_t> byteOfPiece(std::string_view piece) {
    if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return std::nullopt;
    const size_t high = kHexDigits.find(piece[3]);
    const size_t low = kHexDigits.find(piece[4]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    return static_cast<uint8_t>(high << 4 | low);
}

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

class LlamaTokenizer final : public Tokenizer {
  public:
    static Result<std::unique_ptr<Tokenizer>> create(const TokenizerData& data) {
        INGLE_TRY(check(data));
        auto tokenizer = std::unique_ptr<LlamaTokenizer>(new LlamaTokenizer(data));
        INGLE_TRY(tokenizer->loadPieces(data));
        return tokenizer;
    }

    size_t vocabSize() const override { return m_pieces.size(); }
    std::string pieceBytes(TokenId id) const override { return m_pieces[static_cast<size_t>(id)]; }
    bool dropsLeadingSpace() const override { return m_addSpacePrefix; }
    bool isEndOfGeneration(TokenId id) const override { return m_special.isEndOfGeneration(id); }

    Result<std::vector<TokenId>> encode(std::span<const TextSegment> segments,
                                        bool addSpecial) const override {
        const auto fragments = m_special.split(segments);
        std::vector<TokenId> ids;
        const bool spelled = !fragments.empty() && fragments[0].special == m_bos;
        if (addSpecial && m_addBos && m_bos && !spelled) ids.push_back(*m_bos);
        bool afterSpecial = true;
        for (const Fragment& fragment : fragments) {
            if (fragment.special)
                ids.push_back(*fragment.special);
            else
                INGLE_TRY(encodePlain((m_addSpacePrefix && afterSpecial ? " " : "") + fragment.text, ids));
            afterSpecial = fragment.special.has_value();
        }
        if (addSpecial && m_addEos && m_eos) ids.push_back(*m_eos);
        return ids;
    }

  private:
    explicit LlamaTokenizer(const TokenizerData& data)
        : m_special(data, data.eos ? data.eos : defaultId(data, 2)),
          m_bos(data.bos ? data.bos : defaultId(data, 1)),
          m_eos(data.eos ? data.eos : defaultId(data, 2)),
          m_unknown(data.unknown ? data.unknown : defaultId(data, 0)),
          m_addBos(data.addBos.value_or(true)),
          m_addEos(data.addEos.value_or(false)),
          m_addSpacePrefix(data.addSpacePrefix.value_or(true)) {}

    static std::optional<TokenId> defaultId(const TokenizerData& data, TokenId id) {
        return static_cast<size_t>(id) < data.tokens.size() ? std::optional(id) : std::nullopt;
    }

    static Status check(const TokenizerData& data) {
        if (data.tokens.empty())
            return fail(ErrorCode::Corrupt, "the vocabulary of the tokenizer 'llama' is empty");
        if (data.scores.size() != data.tokens.size())
            return fail(ErrorCode::Corrupt, "the vocabulary has {} tokens, but {} scores", data.tokens.size(),
                        data.scores.size());
        for (size_t i = 0; i < data.scores.size(); ++i)
            if (std::isnan(data.scores[i]))
                return fail(ErrorCode::Corrupt, "the score of token {} is not a number", i);
        return {};
    }

    static TokenType typeOf(const TokenizerData& data, size_t id) {
        return data.types.empty() ? TokenType::Normal : data.types[id];
    }

    Status loadPieces(const TokenizerData& data) {
        for (size_t id = 0; id < data.tokens.size(); ++id) addPiece(data.tokens[id], typeOf(data, id), id);
        const auto status = m_processor.LoadFromSerializedProto(modelProto(data));
        if (!status.ok())
            return fail(ErrorCode::Corrupt, "the vocabulary is not a SentencePiece model: {}",
                        status.ToString());
        return {};
    }

    void addPiece(const std::string& text, TokenType type, size_t id) {
        std::string bytes;
        if (type == TokenType::Normal) bytes = unmarkSpaces(text);
        if (type == TokenType::UserDefined) bytes = text;
        if (const auto byte = type == TokenType::Byte ? byteOfPiece(text) : std::nullopt) {
            bytes = static_cast<char>(*byte);
            m_byteIds[*byte] = static_cast<TokenId>(id);
        }
        m_pieces.push_back(std::move(bytes));
    }

    bool hasAllBytes() const {
        return std::ranges::all_of(m_byteIds, [](TokenId id) { return id >= 0; });
    }

    /// The library wants unique, non-empty pieces and exactly one unknown one; ids are positions, so a piece
    /// that must not be used gets a text that no input contains, and one more piece at the end stands for the
    /// unknown.
    std::string modelProto(const TokenizerData& data) const {
        enum PieceType : uint64_t { kNormal = 1, kUnknown = 2, kControl = 3, kUnused = 5, kByte = 6 };
        constexpr uint64_t kBpe = 2;
        const bool byteFallback = hasAllBytes();
        ProtoMessage model;
        std::unordered_set<std::string_view> taken;
        const auto addPieceMessage = [&](std::string_view text, float score, PieceType type) {
            ProtoMessage piece;
            piece.bytes(1, text);
            piece.fixed32(2, score);
            piece.varint(3, type);
            model.bytes(1, piece.text());
        };
        for (size_t id = 0; id < data.tokens.size(); ++id) {
            const std::string& text = data.tokens[id];
            const TokenType type = typeOf(data, id);
            const bool isByte = type == TokenType::Byte && byteFallback && byteOfPiece(text).has_value();
            const bool isUsable = type == TokenType::Normal || isByte;
            if (isUsable && isValidPiece(text) && taken.insert(text).second)
                addPieceMessage(text, data.scores[id], isByte ? kByte : kNormal);
            else
                addPieceMessage(unusedText(id), 0, kUnused);
        }
        addPieceMessage(unusedText(data.tokens.size()), 0, kUnknown);

        ProtoMessage trainer;
        trainer.varint(3, kBpe);
        trainer.varint(35, byteFallback ? 1 : 0);
        model.bytes(2, trainer.text());
        ProtoMessage normalizer;
        normalizer.bytes(1, "identity");
        normalizer.varint(3, 0);  // no dummy prefix: encode() adds it where it belongs
        normalizer.varint(4, 0);  // extra spaces stay
        normalizer.varint(5, 1);  // space → U+2581
        model.bytes(3, normalizer.text());
        return model.text();
    }

    /// The library reads piece texts as UTF-8 and matches up to a NUL.
    static bool isValidPiece(std::string_view text) {
        if (text.empty()) return false;
        while (!text.empty()) {
            const Utf8Part part = firstUtf8Part(text);
            if (part.kind != Utf8Kind::Character || text[0] == '\0') return false;
            text.remove_prefix(part.bytes);
        }
        return true;
    }

    /// Contains a NUL, which isValidPiece() refuses in pieces.
    static std::string unusedText(size_t id) { return fmt::format("unused{:c}{}", '\0', id); }

    /// Bytes that are no UTF-8 become byte tokens; what lies between is tokenized by itself.
    Status encodePlain(const std::string& text, std::vector<TokenId>& ids) const {
        size_t begin = 0;
        size_t end = 0;
        while (end < text.size()) {
            const Utf8Part part = firstUtf8Part(std::string_view(text).substr(end));
            if (part.kind != Utf8Kind::Character || text[end] == '\0') {
                INGLE_TRY(encodeValid(std::string_view(text).substr(begin, end - begin), ids));
                for (size_t i = 0; i < part.bytes; ++i) pushByte(static_cast<uint8_t>(text[end + i]), ids);
                begin = end + part.bytes;
            }
            end += part.bytes;
        }
        return encodeValid(std::string_view(text).substr(begin), ids);
    }

    void pushByte(uint8_t byte, std::vector<TokenId>& ids) const {
        if (m_byteIds[byte] >= 0)
            ids.push_back(m_byteIds[byte]);
        else if (m_unknown)
            ids.push_back(*m_unknown);
    }

    Status encodeValid(std::string_view text, std::vector<TokenId>& ids) const {
        if (text.empty()) return {};
        std::vector<int> pieces;
        const auto status = m_processor.Encode(absl::string_view(text.data(), text.size()), &pieces);
        if (!status.ok()) return fail(ErrorCode::Corrupt, "SentencePiece failed: {}", status.ToString());
        for (const int piece : pieces) {
            if (static_cast<size_t>(piece) < m_pieces.size())
                ids.push_back(piece);
            else if (m_unknown)
                ids.push_back(*m_unknown);
        }
        return {};
    }

    SpecialTokens m_special;
    std::optional<TokenId> m_bos, m_eos, m_unknown;
    bool m_addBos, m_addEos, m_addSpacePrefix;
    std::vector<std::string> m_pieces;  // what each id decodes to
    std::array<TokenId, 256> m_byteIds = [] {
        std::array<TokenId, 256> none{};
        none.fill(-1);
        return none;
    }();
    sentencepiece::SentencePieceProcessor m_processor;
};

}  // namespace

extern const TokenizerKind llama_tokenizer;
const TokenizerKind llama_tokenizer{.model = "llama", .create = LlamaTokenizer::create};

}  // namespace ingle::tokenizer
