// WordPiece: words, each cut greedily into the longest tokens; a token that begins a word is written with
// U+2581. Source: BERT's published tokenizer; the spelling of the tokens is llama.cpp's. Case and accents are
// the vocabulary's text steps.
#include <utf8proc.h>

#include <algorithm>
#include <unordered_map>

#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/utf8.h"
#include "ingle/utf8.h"

namespace ingle::tokenizer::bert_tokenizer {
namespace {

using formats::TokenizerData;
using formats::TokenType;

constexpr std::string_view kWordStart = "\u2581";

utf8proc_category_t categoryOf(char32_t code) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool isSpace(char32_t code) {
    const auto category = categoryOf(code);
    return (code >= 0x09 && code <= 0x0D) || code == 0x85 ||
           (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP);
}

bool isDropped(char32_t code) {
    const auto category = categoryOf(code);
    return code == 0xFFFD || category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_CO;
}

struct CodeRange {
    char32_t first, last;
};
/// CJK ideographs: each is a word.
constexpr CodeRange kIdeographs[] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                     {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF},
                                     {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};

bool isWordByItself(char32_t code) {
    const auto category = categoryOf(code);
    const bool isPunctuation = category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
    const bool isAsciiSymbol =
        code < 0x80 && category >= UTF8PROC_CATEGORY_SM && category <= UTF8PROC_CATEGORY_SO;
    return isPunctuation || isAsciiSymbol || std::ranges::any_of(kIdeographs, [code](const CodeRange& range) {
               return code >= range.first && code <= range.last;
           });
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out;
    bool inWord = false;
    while (!text.empty()) {
        const Utf8Part part = firstUtf8Part(text);
        const char32_t code =
            part.kind == Utf8Kind::Character ? codePointOf(text.substr(0, part.bytes)) : char32_t{0xFFFD};
        text.remove_prefix(part.bytes);
        if (isSpace(code)) {
            inWord = false;
            continue;
        }
        if (isDropped(code)) continue;
        const bool isWord = isWordByItself(code);
        if (isWord || !inWord) out.emplace_back();
        out.back() += encodeUtf8(code);
        inWord = !isWord;
    }
    return out;
}

class BertTokenizer final : public Tokenizer {
  public:
    static Result<std::unique_ptr<Tokenizer>> create(const TokenizerData& data) {
        if (data.tokens.empty())
            return fail(ErrorCode::Corrupt, "the vocabulary of the tokenizer 'bert' is empty");
        return std::unique_ptr<Tokenizer>(new BertTokenizer(data));
    }

    size_t vocabSize() const override { return m_pieces.size(); }
    std::string pieceBytes(TokenId id) const override { return m_pieces[static_cast<size_t>(id)]; }
    bool dropsLeadingSpace() const override { return false; }
    bool isEndOfGeneration(TokenId id) const override { return m_special.isEndOfGeneration(id); }

    Result<std::vector<TokenId>> encode(std::span<const TextSegment> segments,
                                        bool addSpecial) const override {
        std::vector<TokenId> ids;
        if (addSpecial && m_start) ids.push_back(*m_start);
        TextMeter meter(segments);
        INGLE_TRY_ASSIGN(const auto fragments, m_special.split(segments, meter));
        for (const Fragment& fragment : fragments) {
            if (fragment.special)
                ids.push_back(*fragment.special);
            else
                for (const std::string& word : words(fragment.text))
                    INGLE_TRY(encodeWord(fmt::format("{}{}", kWordStart, word), meter, ids));
        }
        if (addSpecial && m_separator) ids.push_back(*m_separator);
        return ids;
    }

  private:
    explicit BertTokenizer(const TokenizerData& data)
        : m_special(data, data.eos),
          m_start(data.bos ? data.bos : defaultId(data, 101)),
          m_separator(data.separator ? data.separator : defaultId(data, 102)),
          m_unknown(data.unknown ? data.unknown : defaultId(data, 100)) {
        for (size_t id = 0; id < data.tokens.size(); ++id) {
            const std::string& text = data.tokens[id];
            const TokenType type = data.types.empty() ? TokenType::Normal : data.types[id];
            const bool isSilent = type == TokenType::Control || type == TokenType::Unknown;
            m_pieces.push_back(isSilent ? ""
                               : text.starts_with(kWordStart)
                                   ? fmt::format(" {}", std::string_view(text).substr(kWordStart.size()))
                                   : text);
            if (isSilent || text.empty()) continue;
            m_ids.try_emplace(text, static_cast<TokenId>(id));
            m_longest = std::max(m_longest, text.size());
        }
    }

    static std::optional<TokenId> defaultId(const TokenizerData& data, TokenId id) {
        return static_cast<size_t>(id) < data.tokens.size() ? std::optional(id) : std::nullopt;
    }

    /// A word of which any part is no token is the unknown token as a whole.
    Status encodeWord(std::string_view word, TextMeter& meter, std::vector<TokenId>& ids) const {
        const size_t before = ids.size();
        while (!word.empty()) {
            size_t size = std::min(word.size(), m_longest);
            auto found = m_ids.end();
            for (; size > 0 && found == m_ids.end(); --size) {
                INGLE_TRY(meter.spend(1 + size / 4));
                found = m_ids.find(std::string(word.substr(0, size)));
            }
            if (found == m_ids.end()) {
                ids.resize(before);
                if (m_unknown) ids.push_back(*m_unknown);
                return {};
            }
            ids.push_back(found->second);
            word.remove_prefix(found->first.size());
        }
        return {};
    }

    SpecialTokens m_special;
    std::optional<TokenId> m_start, m_separator, m_unknown;
    std::unordered_map<std::string, TokenId> m_ids;
    size_t m_longest = 0;               // bytes of the longest token
    std::vector<std::string> m_pieces;  // what each id decodes to
};

}  // namespace

extern const TokenizerKind tokenizer{.model = "bert", .create = BertTokenizer::create};

}  // namespace ingle::tokenizer::bert_tokenizer
