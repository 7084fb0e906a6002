// Words between white space, which itself is left out: ranked merges over their characters, as the Chinese
// and English embedding model of Jina has them. Source: llama.cpp's llama-vocab.cpp, tokenizer "whitespace".
#include <algorithm>

#include "engine/tokenizer/merges.h"
#include "engine/tokenizer/sentencepiece_tokenizer.h"
#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer::whitespace_tokenizer {
namespace {

using formats::TokenizerData;

/// Work of merging, for each byte.
constexpr size_t kMergeCost = 32;

/// Unicode's property White_Space.
constexpr std::string_view kSpaces[] = {"\t",     "\n",     "\v",     "\f",     "\r",     " ",      "\u0085",
                                        "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
                                        "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u2028",
                                        "\u2029", "\u202f", "\u205f", "\u3000"};

class WhitespaceTokenizer final : public SentencePieceTokenizer {
  public:
    static Result<std::unique_ptr<Tokenizer>> create(const TokenizerData& data) {
        if (data.tokens.empty())
            return fail(ErrorCode::Corrupt, "the vocabulary of the tokenizer 'whitespace' is empty");
        auto tokenizer = std::unique_ptr<WhitespaceTokenizer>(new WhitespaceTokenizer(data));
        INGLE_TRY(tokenizer->m_table.addMerges(data.merges));
        return tokenizer;
    }

  private:
    explicit WhitespaceTokenizer(const TokenizerData& data)
        : SentencePieceTokenizer(data, {.addBos = false, .addEos = false, .addSpacePrefix = false}),
          m_table(data) {}

    Status encodePlain(const std::string& text, bool, TextMeter& meter,
                       std::vector<TokenId>& ids) const override {
        WordMerger merger(m_table);
        std::string word;
        const auto merge = [&]() -> Status {
            INGLE_TRY(meter.spend(kMergeCost * word.size()));
            merger.beginCharacters(word);
            merger.merge(word, [&](Symbol symbol, std::string_view bytes) { emit(symbol, bytes, ids); });
            word.clear();
            return {};
        };
        for (std::string_view rest = text; !rest.empty();) {
            const std::string_view character = rest.substr(0, firstUtf8Part(rest).bytes);
            rest.remove_prefix(character.size());
            if (std::ranges::find(kSpaces, character) == std::end(kSpaces))
                word += character;
            else
                INGLE_TRY(merge());
        }
        return merge();
    }

    /// Of what is no token, its bytes that are.
    void emit(Symbol symbol, std::string_view bytes, std::vector<TokenId>& ids) const {
        if (symbol < vocabSize()) {
            ids.push_back(static_cast<TokenId>(symbol));
            return;
        }
        for (const char c : bytes)
            if (const Symbol byte = m_table.find(std::string(1, c)); byte < vocabSize())
                ids.push_back(static_cast<TokenId>(byte));
    }

    MergeTable m_table;
};

}  // namespace

extern const TokenizerKind tokenizer{.model = "whitespace", .create = WhitespaceTokenizer::create};

}  // namespace ingle::tokenizer::whitespace_tokenizer
