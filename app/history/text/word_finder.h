/// Where the words of a query stand in a text: cut, folded and compared as the index of the search does.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingle::history {

/// Bytes of a text.
struct TextRange {
    size_t begin = 0;
    size_t end = 0;

    bool operator==(const TextRange&) const = default;
};

/// One query, as search() takes it. Opens no file; one thread at a time.
class WordFinder {
  public:
    explicit WordFinder(std::string_view query);
    ~WordFinder();
    WordFinder(const WordFinder&) = delete;
    WordFinder& operator=(const WordFinder&) = delete;

    /// Of each word, or phrase in quotes, where it stands first. The last word may be the beginning of one
    /// that stands there, if it does not stand there itself. O(text).
    std::vector<std::optional<TextRange>> in(std::string_view text) const;
    /// Everywhere that any of them stands, the last word also as the beginning of one; in order and apart.
    /// O(text).
    std::vector<TextRange> everywhereIn(std::string_view text) const;

  private:
    class Tokenizer;
    struct Token;
    struct Phrase;

    std::vector<Token> tokensOf(std::string_view text) const;

    std::unique_ptr<Tokenizer> m_tokenizer;
    std::vector<Phrase> m_phrases;
};

}  // namespace ingle::history
