// SentencePiece BPE as GGUF files of model "llama" hold it: pieces, scores and types. The vocabulary is
// handed to libsentencepiece as a serialized ModelProto that is written here by hand, since linking protobuf
// itself would clash with the copy that libsentencepiece exports. Source of the layout: sentencepiece's
// sentencepiece_model.proto and protobuf's encoding guide.
#include <sentencepiece_processor.h>

#include <cstring>
#include <unordered_set>

#include "engine/tokenizer/sentencepiece_tokenizer.h"
#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer::llama_tokenizer {
namespace {

using formats::TokenizerData;
using formats::TokenType;

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

/// Which characters may follow each other inside a piece. Where two that may not do, a text can be cut: a
/// token spans only what some piece spans.
class Neighbours {
  public:
    /// A character's bytes as a number. A space is its mark in pieces.
    static uint32_t character(std::string_view bytes) {
        if (bytes == " ") bytes = kSpaceMark;
        uint32_t number = 0;
        std::memcpy(&number, bytes.data(), std::min(bytes.size(), sizeof number));
        return number;
    }
    /// `piece`: valid UTF-8.
    void add(std::string_view piece) {
        for (uint32_t before = 0; !piece.empty();) {
            const size_t bytes = firstUtf8Part(piece).bytes;
            const uint32_t after = character(piece.substr(0, bytes));
            if (before != 0) m_bits[bit(before, after)] = true;
            before = after;
            piece.remove_prefix(bytes);
        }
    }
    /// Seldom true although they may not: two pairs can have one bit.
    bool mayFollow(uint32_t before, uint32_t after) const { return m_bits[bit(before, after)]; }

  private:
    static constexpr uint32_t kBits = 22;
    static size_t bit(uint32_t before, uint32_t after) {
        const uint64_t pair = uint64_t{before} << 32 | after;
        return static_cast<size_t>(pair * 0x9E3779B97F4A7C15u >> (64 - kBits));
    }
    std::vector<bool> m_bits = std::vector<bool>(size_t{1} << kBits);
};

class LlamaTokenizer final : public SentencePieceTokenizer {
  public:
    static Result<std::unique_ptr<Tokenizer>> create(const TokenizerData& data) {
        INGLE_TRY(check(data));
        auto tokenizer = std::unique_ptr<LlamaTokenizer>(new LlamaTokenizer(data));
        INGLE_TRY(tokenizer->loadModel(data));
        return tokenizer;
    }

    size_t mostBytesPerId() const override { return longestPiece(); }

  private:
    explicit LlamaTokenizer(const TokenizerData& data)
        : SentencePieceTokenizer(
              data,
              {.bos = 1, .eos = 2, .unknown = 0, .addBos = true, .addEos = false, .addSpacePrefix = true}) {}

    Status loadModel(const TokenizerData& data) {
        for (const std::string& text : data.tokens)
            if (isValidPiece(text)) m_neighbours.add(text);
        const auto status = m_processor.LoadFromSerializedProto(modelProto(data));
        if (!status.ok())
            return fail(ErrorCode::Corrupt, "the vocabulary is not a SentencePiece model: {}",
                        shown(status.ToString()));
        return {};
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
            const TokenType type = typeOfPiece(data, id);
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

    /// Bytes that are no UTF-8 become byte tokens; what lies between is tokenized by itself, in parts where
    /// it can be cut: the library does not ask whether to stop.
    Status encodePlain(const std::string& plain, bool isPrefixed, TextMeter& meter,
                       std::vector<TokenId>& ids) const override {
        constexpr size_t kPartBytes = 4096;
        const std::string text = (isPrefixed ? " " : "") + plain;
        const auto piece = [&text](size_t begin, size_t end) {
            return std::string_view(text).substr(begin, end - begin);
        };
        size_t begin = 0, end = 0;
        bool isAfterUnknown = false;
        for (uint32_t before = 0; end < text.size();) {
            const Utf8Part part = firstUtf8Part(std::string_view(text).substr(end));
            const bool isByte = part.kind != Utf8Kind::Character || text[end] == '\0';
            const uint32_t after = isByte ? 0 : Neighbours::character(piece(end, end + part.bytes));
            const bool isEnd =
                isByte || (end - begin >= kPartBytes && !m_neighbours.mayFollow(before, after));
            if (isEnd) {
                INGLE_TRY(encodeValid(piece(begin, end), meter, isAfterUnknown, ids));
                begin = end;
            }
            end += part.bytes;
            if (isByte) {
                for (; begin < end; ++begin) pushByte(static_cast<uint8_t>(text[begin]), ids);
                isAfterUnknown = false;
            }
            before = after;
        }
        return encodeValid(piece(begin, end), meter, isAfterUnknown, ids);
    }

    /// `isAfterUnknown`: what lies before it ended in unknown characters; a run of them is one token.
    Status encodeValid(std::string_view text, TextMeter& meter, bool& isAfterUnknown,
                       std::vector<TokenId>& ids) const {
        if (text.empty()) return {};
        constexpr size_t kWorkPerByte = 64;
        INGLE_TRY(meter.spend(kWorkPerByte * text.size()));
        std::vector<int> pieces;
        const auto status = m_processor.Encode(absl::string_view(text.data(), text.size()), &pieces);
        if (!status.ok())
            return fail(ErrorCode::Corrupt, "SentencePiece failed: {}", shown(status.ToString()));
        for (const int piece : pieces) {
            const bool isUnknown = static_cast<size_t>(piece) >= vocabSize();
            if (!isUnknown)
                ids.push_back(piece);
            else if (!isAfterUnknown)
                pushUnknown(ids);
            isAfterUnknown = isUnknown;
        }
        return {};
    }

    sentencepiece::SentencePieceProcessor m_processor;
    Neighbours m_neighbours;
};

}  // namespace

extern const TokenizerKind tokenizer{.model = "llama", .create = LlamaTokenizer::create};

}  // namespace ingle::tokenizer::llama_tokenizer
