// Byte-level BPE as GGUF files of model "gpt2" hold it: tokens in the byte alphabet of GPT-2, and ranked
// merges. Source: GPT-2's published encoder; the fallback for symbols outside the vocabulary is llama.cpp's.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/base/byte_alphabet.h"
#include "engine/tokenizer/merges.h"
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer::gpt2_tokenizer {
namespace {

using base::byteAlphabet;
using base::inByteAlphabet;
using formats::TokenizerData;
using formats::TokenType;

/// Work of merging, for each byte.
constexpr size_t kMergeCost = 32;

/// Token text in the byte alphabet → bytes; characters outside it stay.
std::string toBytes(std::string_view text) {
    static const auto byteOf = [] {
        std::unordered_map<std::string_view, char> map;
        for (size_t byte = 0; byte < 256; ++byte) map[byteAlphabet()[byte]] = static_cast<char>(byte);
        return map;
    }();
    std::string bytes;
    while (!text.empty()) {
        const std::string_view character = text.substr(0, firstUtf8Part(text).bytes);
        const auto it = byteOf.find(character);
        if (it != byteOf.end())
            bytes += it->second;
        else
            bytes += character;
        text.remove_prefix(character.size());
    }
    return bytes;
}

class Gpt2Tokenizer final : public Tokenizer {
  public:
    static Result<std::unique_ptr<Tokenizer>> create(const TokenizerData& data) {
        if (data.tokens.empty())
            return fail(ErrorCode::Corrupt, "the vocabulary of the tokenizer 'gpt2' is empty");
        if (data.merges.empty()) return fail(ErrorCode::Corrupt, "the tokenizer 'gpt2' has no merges");
        INGLE_TRY_ASSIGN(auto preTokenizer,
                         data.patterns.empty() ? PreTokenizer::create(data.pre.empty() ? "default" : data.pre)
                                               : PreTokenizer::create(data.patterns, data.takesWholeWords));
        auto tokenizer = std::unique_ptr<Gpt2Tokenizer>(new Gpt2Tokenizer(data, std::move(preTokenizer)));
        INGLE_TRY(tokenizer->m_table.addMerges(data.merges));
        return tokenizer;
    }

    size_t vocabSize() const override { return m_pieces.size(); }
    std::string pieceBytes(TokenId id) const override { return m_pieces[static_cast<size_t>(id)]; }
    bool dropsLeadingSpace() const override { return false; }
    bool isEndOfGeneration(TokenId id) const override { return m_special.isEndOfGeneration(id); }
    size_t mostBytesPerId() const override { return m_mostBytesPerId; }

    Result<std::vector<TokenId>> encode(std::span<const TextSegment> segments,
                                        bool addSpecial) const override {
        TextMeter meter(segments);
        INGLE_TRY_ASSIGN(const auto fragments, m_special.split(segments, meter));
        std::vector<TokenId> ids;
        const bool spelled = !fragments.empty() && fragments[0].special == m_bos;
        if (addSpecial && m_addBos && m_bos && !spelled) ids.push_back(*m_bos);
        for (const Fragment& fragment : fragments) {
            if (fragment.special)
                ids.push_back(*fragment.special);
            else
                INGLE_TRY(encodePlain(fragment.text, meter, ids));
        }
        if (addSpecial && m_addEos && m_eos) ids.push_back(*m_eos);
        return ids;
    }

  private:
    Gpt2Tokenizer(const TokenizerData& data, std::unique_ptr<const PreTokenizer> preTokenizer)
        : m_special(data, data.eos),
          m_table(data),
          m_preTokenizer(std::move(preTokenizer)),
          m_bos(data.bos),
          m_eos(data.eos),
          m_addBos(data.addBos.value_or(m_preTokenizer->addsBosByDefault())),
          m_addEos(data.addEos.value_or(false)) {
        for (size_t byte = 0; byte < 256; ++byte) m_byteSymbols[byte] = m_table.intern(byteAlphabet()[byte]);
        m_pieces.reserve(data.tokens.size());
        for (size_t id = 0; id < data.tokens.size(); ++id) {
            const TokenType type = data.types.empty() ? TokenType::Normal : data.types[id];
            const bool isSilent = type == TokenType::Control || type == TokenType::Unknown;
            m_pieces.push_back(isSilent                         ? ""
                               : type == TokenType::UserDefined ? data.tokens[id]
                                                                : toBytes(data.tokens[id]));
        }
        // A byte that is no token may be left out.
        const bool hasAllBytes =
            std::ranges::all_of(m_byteSymbols, [this](Symbol byte) { return byte < m_pieces.size(); });
        if (!hasAllBytes || !m_special.keepsText()) return;
        m_mostBytesPerId =
            std::max(m_special.longest(), std::ranges::max(m_pieces, {}, &std::string::size).size());
    }

    Status encodePlain(const std::string& text, TextMeter& meter, std::vector<TokenId>& ids) const {
        INGLE_TRY_ASSIGN(const auto words, m_preTokenizer->split(text, meter));
        WordMerger merger(m_table);
        for (const std::string_view word : words) {
            INGLE_TRY(meter.spend(kMergeCost * word.size()));
            if (m_preTokenizer->takesWholeWords()) {
                const Symbol whole = m_table.find(inByteAlphabet(word));
                if (whole < m_pieces.size()) {
                    ids.push_back(static_cast<TokenId>(whole));
                    continue;
                }
            }
            merger.begin();
            for (const char c : word) merger.add(m_byteSymbols[static_cast<uint8_t>(c)], 1);
            merger.merge(word, [&](Symbol symbol, std::string_view bytes) { emit(symbol, bytes, ids); });
        }
        return {};
    }

    /// A symbol outside the vocabulary is given byte by byte, without those that are no tokens either.
    void emit(Symbol symbol, std::string_view bytes, std::vector<TokenId>& ids) const {
        if (symbol < m_pieces.size()) {
            ids.push_back(static_cast<TokenId>(symbol));
            return;
        }
        for (const char c : bytes) {
            const Symbol byte = m_byteSymbols[static_cast<uint8_t>(c)];
            if (byte < m_pieces.size()) ids.push_back(static_cast<TokenId>(byte));
        }
    }

    SpecialTokens m_special;
    MergeTable m_table;
    std::array<Symbol, 256> m_byteSymbols{};
    std::unique_ptr<const PreTokenizer> m_preTokenizer;
    std::optional<TokenId> m_bos, m_eos;
    bool m_addBos, m_addEos;
    std::vector<std::string> m_pieces;  // what each id decodes to
    size_t m_mostBytesPerId = 0;
};

}  // namespace

extern const TokenizerKind tokenizer{.model = "gpt2", .create = Gpt2Tokenizer::create};

}  // namespace ingle::tokenizer::gpt2_tokenizer
