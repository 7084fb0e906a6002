// Gemma 4's vocabulary: ranked merges over characters, spaces as U+2581, and tokens for bytes. Lines are
// merged by themselves. Source: llama.cpp's llama-vocab.cpp, pre-tokenizer "gemma4".
#include <algorithm>

#include "engine/tokenizer/merges.h"
#include "engine/tokenizer/sentencepiece_tokenizer.h"

namespace ingle::tokenizer::gemma4_tokenizer {
namespace {

using formats::TokenizerData;

/// Work of merging, for each byte.
constexpr size_t kMergeCost = 32;

class Gemma4Tokenizer final : public SentencePieceTokenizer {
  public:
    static Result<std::unique_ptr<Tokenizer>> create(const TokenizerData& data) {
        if (data.tokens.empty())
            return fail(ErrorCode::Corrupt, "the vocabulary of the tokenizer 'gemma4' is empty");
        auto tokenizer = std::unique_ptr<Gemma4Tokenizer>(new Gemma4Tokenizer(data));
        INGLE_TRY(tokenizer->m_table.addMerges(data.merges));
        return tokenizer;
    }

    size_t mostBytesPerId() const override { return longestPiece(); }

  private:
    explicit Gemma4Tokenizer(const TokenizerData& data)
        : SentencePieceTokenizer(data, {.addBos = true, .addEos = false, .addSpacePrefix = false}),
          m_table(data) {}

    Status encodePlain(const std::string& plain, bool isPrefixed, TextMeter& meter,
                       std::vector<TokenId>& ids) const override {
        std::string text;
        for (const char c : (isPrefixed ? " " : "") + plain) {
            if (c == ' ')
                text += kSpaceMark;
            else
                text += c;
        }
        WordMerger merger(m_table);
        for (std::string_view rest = text; !rest.empty();) {
            const bool isBreak = rest[0] == '\n';
            const size_t end = isBreak ? rest.find_first_not_of('\n') : rest.find('\n');
            INGLE_TRY(meter.spend(kMergeCost * std::min(end, rest.size())));
            mergeWord(merger, rest.substr(0, end), ids);
            rest.remove_prefix(std::min(end, rest.size()));
        }
        return {};
    }

    void mergeWord(WordMerger& merger, std::string_view word, std::vector<TokenId>& ids) const {
        merger.beginCharacters(word);
        merger.merge(word, [&](Symbol symbol, std::string_view bytes) {
            if (symbol < vocabSize())
                ids.push_back(static_cast<TokenId>(symbol));
            else
                for (const char c : bytes) pushByte(static_cast<uint8_t>(c), ids);
        });
    }

    MergeTable m_table;
};

}  // namespace

extern const TokenizerKind tokenizer{.model = "gemma4", .create = Gemma4Tokenizer::create};

}  // namespace ingle::tokenizer::gemma4_tokenizer
