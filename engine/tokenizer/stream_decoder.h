/// Turns a stream of token bytes into text that is always valid UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ingle::tokenizer {

/// Holds back an incomplete UTF-8 sequence, and any suffix that may still become a stop string. Invalid bytes
/// become one U+FFFD per maximal invalid part (Unicode 15, section 3.9, "substitution of maximal subparts").
/// One thread.
class StreamDecoder {
  public:
    explicit StreamDecoder(std::vector<std::string> stops);

    struct Output {
        std::string text;      ///< decided text, valid UTF-8 but for signs, without the stop string
        bool stopped = false;  ///< a stop string was completed; nothing may follow
    };
    /// Stands in the text that is given out before that of a token which is more than its letters. No UTF-8
    /// has this byte.
    static constexpr char kSign = '\xFF';
    enum class Token { Ordinary, Sign };
    /// Bytes in which stop strings are text: one that begins in them is not found behind them either.
    std::string pass(std::string_view bytes, Token token = Token::Ordinary);
    Output push(std::string_view bytes, Token token = Token::Ordinary);
    /// The rest at the end of an answer: a half character becomes U+FFFD, an undecided stop prefix is text
    /// after all.
    std::string finish();
    /// Bytes received but not given out yet.
    std::string_view withheld() const { return m_pending; }

  private:
    /// The first `size` bytes that are pending.
    std::string take(size_t size);
    void add(std::string_view bytes, Token token);

    std::vector<std::string> m_stops;
    std::string m_pending;
    std::vector<size_t> m_signs;  ///< where in it the text of a sign begins, ascending
    bool m_stopped = false;
};

}  // namespace ingle::tokenizer
