// Byte-level models: the token id is the byte.
#include "engine/tokenizer/tokenizer.h"

namespace ingle::tokenizer::bytes_tokenizer {
namespace {

class BytesTokenizer final : public Tokenizer {
  public:
    size_t vocabSize() const override { return 256; }

    Result<std::vector<TokenId>> encode(std::span<const TextSegment> segments,
                                        bool /*addSpecial*/) const override {
        std::vector<TokenId> ids;
        for (const TextSegment& segment : segments)
            for (const char c : segment.text) ids.push_back(static_cast<unsigned char>(c));
        return ids;
    }

    std::string pieceBytes(TokenId id) const override { return {static_cast<char>(id)}; }
    bool dropsLeadingSpace() const override { return false; }
    bool isEndOfGeneration(TokenId /*id*/) const override { return false; }
    size_t mostBytesPerId() const override { return 1; }
};

Result<std::unique_ptr<Tokenizer>> create(const formats::TokenizerData& /*data*/) {
    return std::make_unique<BytesTokenizer>();
}

}  // namespace

extern const TokenizerKind tokenizer{.model = "bytes", .create = create};

}  // namespace ingle::tokenizer::bytes_tokenizer
