#include "app/history/text/word_finder.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "app/history/text/text_folding.h"

namespace ingle::history {
namespace {

// As the table search_index is made (schema_v1.cpp).
constexpr const char* kTokenizer = "unicode61";
constexpr std::array kTokenizerOptions{"remove_diacritics", "2"};

}  // namespace

struct WordFinder::Token {
    std::string text;  ///< folded
    TextRange place;   ///< in what was cut
};

/// FTS5's own (https://www.sqlite.org/fts5.html#custom_tokenizers), with the index's options.
class WordFinder::Tokenizer {
  public:
    Tokenizer() {
        // A connection without a file is the only way to it.
        if (::sqlite3_open(":memory:", &m_connection) != SQLITE_OK) return;
        fts5_api* api = nullptr;
        sqlite3_stmt* statement = nullptr;
        if (::sqlite3_prepare_v2(m_connection, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
            ::sqlite3_bind_pointer(statement, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
            ::sqlite3_step(statement);
        }
        ::sqlite3_finalize(statement);
        void* context = nullptr;
        std::array options = kTokenizerOptions;
        if (api == nullptr || api->xFindTokenizer(api, kTokenizer, &context, &m_kind) != SQLITE_OK ||
            m_kind.xCreate(context, options.data(), static_cast<int>(options.size()), &m_tokenizer) !=
                SQLITE_OK)
            m_tokenizer = nullptr;
    }
    ~Tokenizer() {
        if (m_tokenizer != nullptr) m_kind.xDelete(m_tokenizer);
        ::sqlite3_close(m_connection);
    }
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    /// None when there is no memory for them.
    std::vector<Token> cut(const std::string& text) const {
        std::vector<Token> tokens;
        if (m_tokenizer != nullptr)
            m_kind.xTokenize(m_tokenizer, &tokens, FTS5_TOKENIZE_AUX, text.data(),
                             static_cast<int>(text.size()), addToken);
        return tokens;
    }

  private:
    static int addToken(void* tokens, int, const char* text, int size, int begin, int end) {
        static_cast<std::vector<Token>*>(tokens)->push_back(
            {std::string(text, static_cast<size_t>(size)),
             {static_cast<size_t>(begin), static_cast<size_t>(end)}});
        return SQLITE_OK;
    }

    sqlite3* m_connection = nullptr;
    fts5_tokenizer m_kind{};
    Fts5Tokenizer* m_tokenizer = nullptr;
};

/// Words that stand one behind the other.
struct WordFinder::Phrase {
    std::vector<std::string> words;
    bool mayBeBeginning = false;  ///< the last one

    enum class Last { Whole, Beginning };
    /// Whether they stand there, the last word as it is or as the beginning of one.
    bool beginsAt(std::span<const Token> tokens, Last last) const {
        if (tokens.size() < words.size()) return false;
        const size_t end = words.size() - 1;
        for (size_t i = 0; i < end; ++i) {
            if (tokens[i].text != words[i]) return false;
        }
        return last == Last::Whole ? tokens[end].text == words[end]
                                   : tokens[end].text.starts_with(words[end]);
    }
    TextRange placeAt(std::span<const Token> tokens) const {
        return {tokens.front().place.begin, tokens[words.size() - 1].place.end};
    }
};

WordFinder::WordFinder(std::string_view query) : m_tokenizer(std::make_unique<Tokenizer>()) {
    const SearchQuery wanted = searchQuery(query);
    for (const std::string& folded : wanted.phrases) {
        Phrase phrase;
        for (Token& token : m_tokenizer->cut(folded)) phrase.words.push_back(std::move(token.text));
        if (!phrase.words.empty()) m_phrases.push_back(std::move(phrase));
    }
    if (!m_phrases.empty()) m_phrases.back().mayBeBeginning = wanted.beginningLength > 0;
}

WordFinder::~WordFinder() = default;

std::vector<WordFinder::Token> WordFinder::tokensOf(std::string_view text) const {
    const std::string folded = foldForSearch(text);
    std::vector<Token> tokens = m_tokenizer->cut(folded);
    // Separators stand in the folded text only.
    size_t separators = 0;
    size_t counted = 0;
    const auto inText = [&](size_t at) {
        separators +=
            static_cast<size_t>(std::count(folded.begin() + static_cast<std::ptrdiff_t>(counted),
                                           folded.begin() + static_cast<std::ptrdiff_t>(at), kSeparator));
        counted = at;
        return at - separators;
    };
    for (Token& token : tokens) token.place = {inText(token.place.begin), inText(token.place.end)};
    return tokens;
}

std::vector<std::optional<TextRange>> WordFinder::in(std::string_view text) const {
    const std::vector<Token> all = tokensOf(text);
    std::vector<std::optional<TextRange>> found;
    for (const Phrase& phrase : m_phrases) {
        const auto first = [&](Phrase::Last last) -> std::optional<TextRange> {
            for (std::span<const Token> tokens = all; !tokens.empty(); tokens = tokens.subspan(1)) {
                if (phrase.beginsAt(tokens, last)) return phrase.placeAt(tokens);
            }
            return std::nullopt;
        };
        found.push_back(first(Phrase::Last::Whole));
        if (!found.back() && phrase.mayBeBeginning) found.back() = first(Phrase::Last::Beginning);
    }
    return found;
}

std::vector<TextRange> WordFinder::everywhereIn(std::string_view text) const {
    const std::vector<Token> all = tokensOf(text);
    std::vector<TextRange> found;
    for (std::span<const Token> tokens = all; !tokens.empty(); tokens = tokens.subspan(1)) {
        for (const Phrase& phrase : m_phrases) {
            const auto last = phrase.mayBeBeginning ? Phrase::Last::Beginning : Phrase::Last::Whole;
            if (!phrase.beginsAt(tokens, last)) continue;
            const TextRange place = phrase.placeAt(tokens);
            if (!found.empty() && place.begin < found.back().end)
                found.back().end = std::max(found.back().end, place.end);
            else
                found.push_back(place);
        }
    }
    return found;
}

}  // namespace ingle::history
