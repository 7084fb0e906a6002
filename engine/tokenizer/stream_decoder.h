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
        std::string text;      ///< decided text, valid UTF-8, without the stop string
        bool stopped = false;  ///< a stop string was completed; nothing may follow
    };
    /// Bytes in which stop strings are text: one that begins in them is not found behind them either.
    std::string pass(std::string_view bytes);
    Output push(std::string_view bytes);
    /// The rest at the end of an answer: a half character becomes U+FFFD, an undecided stop prefix is text
    /// after all.
    std::string finish();
    /// Bytes received but not given out yet.
    std::string_view withheld() const { return m_pending; }

  private:
    /// The first `size` bytes that are pending.
    std::string take(size_t size);

    std::vector<std::string> m_stops;
    std::string m_pending;
    bool m_stopped = false;
};

}  // namespace ingle::tokenizer
