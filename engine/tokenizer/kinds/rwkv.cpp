// RWKV World as GGUF files of model "rwkv" hold it: the longest token at each place, no merges. Tokens are
// written with escapes. Source: the tokenizer of ChatRWKV (rwkv_tokenizer.py); the escapes are those of
// GGUF's converter.
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "engine/formats/rwkv_vocabulary.h"
#include "engine/tokenizer/special_tokens.h"

namespace ingle::tokenizer::rwkv_tokenizer {
namespace {

using formats::TokenizerData;
using formats::TokenType;

/// The end of a document; its text is not part of the vocabulary.
constexpr TokenId kEndOfDocument = 0;

/// \n, \r, \t and \xHH stand for one byte each, a backslash before anything else for that.
std::string unescaped(std::string_view text) {
    std::string bytes;
    while (!text.empty()) {
        if (text[0] != '\\' || text.size() == 1) {
            bytes += text[0];
            text.remove_prefix(1);
            continue;
        }
        unsigned char value = 0;
        const char* hex = text.data() + 2;
        if (text[1] == 'x' && text.size() >= 4 && std::from_chars(hex, hex + 2, value, 16).ptr == hex + 2) {
            bytes += static_cast<char>(value);
            text.remove_prefix(4);
            continue;
        }
        switch (text[1]) {
            case 'n':
                bytes += '\n';
                break;
            case 'r':
                bytes += '\r';
                break;
            case 't':
                bytes += '\t';
                break;
            default:
                bytes += text[1];
        }
        text.remove_prefix(2);
    }
    return bytes;
}

/// Finds the longest entry that a text begins with.
class LongestMatch {
  public:
    void add(std::string_view bytes, TokenId id) { m_entries.push_back({bytes, id}); }
    void sort() { std::ranges::stable_sort(m_entries, {}, &Entry::bytes); }

    struct Entry {
        std::string_view bytes;
        TokenId id;
    };
    /// Null when no entry fits. Of equal entries the one added first counts.
    Result<const Entry*> find(std::string_view text, TextMeter& meter) const {
        const Entry* best = nullptr;
        auto begin = m_entries.begin();
        auto end = m_entries.end();
        for (size_t depth = 0; depth < text.size(); ++depth) {
            INGLE_TRY(meter.spend(1));
            // All entries of the range agree in the bytes before `depth`; the shortest come first.
            const auto byte = [depth](const Entry& entry) {
                return entry.bytes.size() > depth ? static_cast<unsigned char>(entry.bytes[depth]) : -1;
            };
            const int wanted = static_cast<unsigned char>(text[depth]);
            begin = std::ranges::lower_bound(begin, end, wanted, {}, byte);
            end = std::ranges::upper_bound(begin, end, wanted, {}, byte);
            if (begin == end) break;
            if (begin->bytes.size() == depth + 1) best = &*begin;
        }
        return best;
    }

  private:
    std::vector<Entry> m_entries;
};

class RwkvTokenizer final : public Tokenizer {
  public:
    static Result<std::unique_ptr<Tokenizer>> create(const TokenizerData& data) {
        if (data.tokens.empty())
            return fail(ErrorCode::Corrupt, "the model has no vocabulary; put the file {} into its folder",
                        formats::kRwkvVocabularyName);
        TokenizerData plain = data;
        for (std::string& token : plain.tokens) token = unescaped(token);
        return std::unique_ptr<Tokenizer>(new RwkvTokenizer(std::move(plain)));
    }

    size_t vocabSize() const override { return m_pieces.size(); }
    std::string pieceBytes(TokenId id) const override { return m_pieces[static_cast<size_t>(id)]; }
    bool dropsLeadingSpace() const override { return false; }
    bool isEndOfGeneration(TokenId id) const override { return m_special.isEndOfGeneration(id); }
    size_t mostBytesPerId() const override { return m_mostBytesPerId; }

    Result<std::vector<TokenId>> encode(std::span<const TextSegment> segments,
                                        bool /*addSpecial*/) const override {
        std::vector<TokenId> ids;
        TextMeter meter(segments);
        INGLE_TRY_ASSIGN(const auto fragments, m_special.split(segments, meter));
        for (const Fragment& fragment : fragments) {
            if (fragment.special)
                ids.push_back(*fragment.special);
            else
                INGLE_TRY(encodePlain(fragment.text, meter, ids));
        }
        return ids;
    }

  private:
    explicit RwkvTokenizer(TokenizerData data)
        : m_special(data, data.eos.value_or(kEndOfDocument)),
          m_unknown(data.unknown),
          m_pieces(std::move(data.tokens)) {
        for (size_t id = 0; id < m_pieces.size(); ++id) {
            const TokenType type = data.types.empty() ? TokenType::Normal : data.types[id];
            if (type == TokenType::Control || type == TokenType::Unknown || id == kEndOfDocument)
                m_pieces[id].clear();
            else if (!m_pieces[id].empty())
                m_tokens.add(m_pieces[id], static_cast<TokenId>(id));
        }
        m_tokens.sort();
        std::array<bool, 256> hasToken{};
        for (const std::string& piece : m_pieces)
            if (piece.size() == 1) hasToken[static_cast<unsigned char>(piece[0])] = true;
        // A byte that begins no token may be left out.
        if (m_special.keepsText() && std::ranges::all_of(hasToken, std::identity()))
            m_mostBytesPerId =
                std::max(m_special.longest(), std::ranges::max(m_pieces, {}, &std::string::size).size());
    }

    /// A byte that no token begins with is the unknown token, or nothing in a vocabulary without one.
    Status encodePlain(std::string_view text, TextMeter& meter, std::vector<TokenId>& ids) const {
        while (!text.empty()) {
            INGLE_TRY_ASSIGN(const auto* longest, m_tokens.find(text, meter));
            if (longest)
                ids.push_back(longest->id);
            else if (m_unknown)
                ids.push_back(*m_unknown);
            text.remove_prefix(longest ? longest->bytes.size() : 1);
        }
        return {};
    }

    SpecialTokens m_special;
    std::optional<TokenId> m_unknown;
    std::vector<std::string> m_pieces;  // what each id decodes to; never changed after the constructor
    LongestMatch m_tokens;              // views of the pieces
    size_t m_mostBytesPerId = 0;
};

}  // namespace

extern const TokenizerKind tokenizer{.model = "rwkv", .create = RwkvTokenizer::create};

}  // namespace ingle::tokenizer::rwkv_tokenizer
