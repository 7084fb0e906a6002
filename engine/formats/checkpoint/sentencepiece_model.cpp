/// tokenizer.model: a message of protobuf.
#include <cstring>

#include "engine/formats/checkpoint/tokenizer_files.h"
#include "engine/io/byte_reader.h"

namespace ingle::formats {
namespace {

constexpr size_t kMaxPieces = size_t{1} << 24;

/// One field of a message.
struct Field {
    uint64_t number = 0;
    uint64_t integer = 0;                   ///< of a varint or fixed field
    std::span<const std::byte> bytes = {};  ///< of one with a length

    std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
    float number32() const {
        const auto bits = static_cast<uint32_t>(integer);
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
};

Result<uint64_t> readVarint(io::ByteReader& in) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        INGLE_TRY_ASSIGN(const auto byte, in.read<uint8_t>());
        value |= uint64_t{byte & 0x7FU} << shift;
        if (byte < 0x80) return value;
    }
    return fail(ErrorCode::Corrupt, "a number at byte {} does not end", in.offset());
}

Result<Field> readField(io::ByteReader& in) {
    INGLE_TRY_ASSIGN(const uint64_t tag, readVarint(in));
    Field field{.number = tag >> 3};
    switch (tag & 7) {
        case 0: {
            INGLE_TRY_ASSIGN(field.integer, readVarint(in));
            return field;
        }
        case 1: {
            INGLE_TRY_ASSIGN(field.integer, in.read<uint64_t>());
            return field;
        }
        case 2: {
            INGLE_TRY_ASSIGN(const uint64_t length, readVarint(in));
            INGLE_TRY_ASSIGN(field.bytes, in.take(length));
            return field;
        }
        case 5: {
            INGLE_TRY_ASSIGN(field.integer, in.read<uint32_t>());
            return field;
        }
        default:
            return fail(ErrorCode::Corrupt, "a field of the unknown kind {} before byte {}", tag & 7,
                        in.offset());
    }
}

template <typename Visit>
Status forEachField(std::span<const std::byte> message, Visit visit) {
    io::ByteReader in(message);
    while (in.remaining() > 0) {
        INGLE_TRY_ASSIGN(const Field field, readField(in));
        visit(field);
    }
    return {};
}

TokenType typeOf(uint64_t number) {
    constexpr TokenType kTypes[] = {TokenType::Undefined, TokenType::Normal,      TokenType::Unknown,
                                    TokenType::Control,   TokenType::UserDefined, TokenType::Unused,
                                    TokenType::Byte};
    return number < std::size(kTypes) ? kTypes[number] : TokenType::Undefined;
}

/// Numbers of the message's fields.
enum ModelField : uint64_t { kPieces = 1, kTrainer = 2, kNormalizer = 3 };

}  // namespace

Result<Vocabulary> parseSentencePiece(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    Vocabulary vocabulary;
    TokenizerData& data = vocabulary.data;
    uint64_t kind = 1;
    int64_t unknown = 0, bos = 1, eos = 2, padding = -1;
    data.addSpacePrefix = true;
    data.removeExtraSpaces = true;
    Status status;
    const auto readPiece = [&](const Field& piece) {
        std::string& token = data.tokens.emplace_back();
        float& score = data.scores.emplace_back(0.0F);
        TokenType& type = data.types.emplace_back(TokenType::Normal);
        return forEachField(piece.bytes, [&](const Field& field) {
            if (field.number == 1) token = field.text();
            if (field.number == 2) score = field.number32();
            if (field.number == 3) type = typeOf(field.integer);
        });
    };
    const auto readTrainer = [&](const Field& trainer) {
        return forEachField(trainer.bytes, [&](const Field& field) {
            // Numbers below zero take all of 64 bits.
            const auto id = static_cast<int64_t>(field.integer);
            if (field.number == 3) kind = field.integer;
            if (field.number == 40) unknown = id;
            if (field.number == 41) bos = id;
            if (field.number == 42) eos = id;
            if (field.number == 43) padding = id;
        });
    };
    const auto readNormalizer = [&](const Field& normalizer) {
        return forEachField(normalizer.bytes, [&](const Field& field) {
            if (field.number == 2) data.characterMap = field.text();
            if (field.number == 3) data.addSpacePrefix = field.integer != 0;
            if (field.number == 4) data.removeExtraSpaces = field.integer != 0;
        });
    };
    INGLE_TRY(forEachField(bytes, [&](const Field& field) {
        if (!status) return;
        if (field.number == kPieces && data.tokens.size() < kMaxPieces) status = readPiece(field);
        if (field.number == kTrainer) status = readTrainer(field);
        if (field.number == kNormalizer) status = readNormalizer(field);
    }));
    INGLE_TRY(status);
    if (data.tokens.empty()) return fail(ErrorCode::Corrupt, "it has no pieces");
    constexpr uint64_t kUnigram = 1, kBpe = 2;
    if (kind != kUnigram && kind != kBpe)
        return fail(ErrorCode::Unsupported, "a SentencePiece model of kind {} is not supported", kind);
    data.model = kind == kBpe ? "llama" : "t5";
    // Its rules of spaces are those of unigram vocabularies here.
    if (kind == kBpe) data.characterMap.clear();
    const auto idOf = [&](int64_t id) -> std::optional<TokenId> {
        const bool exists = id >= 0 && static_cast<uint64_t>(id) < data.tokens.size();
        return exists ? std::optional(static_cast<TokenId>(id)) : std::nullopt;
    };
    data.unknown = idOf(unknown);
    data.bos = idOf(bos);
    data.eos = idOf(eos);
    data.padding = idOf(padding);
    return vocabulary;
}

}  // namespace ingle::formats
