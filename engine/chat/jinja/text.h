/// Text in which every byte knows where it came from, and the characters of such text as Python sees them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/utf8.h"

namespace ingle::chat::jinja {

/// Only Template text may spell special tokens. What somebody wrote, or what cannot be told, is Message.
enum class Origin : uint8_t { Template, Message };

/// UTF-8 (other bytes are tolerated) and a list of runs of equal origin, which costs 8 bytes a run.
class Text {
  public:
    struct Run {
        uint32_t end;  ///< one past its last byte
        Origin origin;
    };

    Text() = default;
    Text(std::string_view bytes, Origin origin) { append(bytes, origin); }

    std::string_view bytes() const { return m_bytes; }
    size_t size() const { return m_bytes.size(); }
    bool empty() const { return m_bytes.empty(); }
    std::span<const Run> runs() const { return m_runs; }
    /// Memory it takes, for budgets.
    size_t cost() const { return m_bytes.size() + m_runs.size() * sizeof(Run); }
    /// Origin of the byte at `at`; that of the last byte from there on.
    Origin originAt(size_t at) const;

    void append(std::string_view bytes, Origin origin);
    void append(const Text& other) { append(other, 0, other.size()); }
    /// Appends `size` bytes of `other` from `begin`.
    void append(const Text& other, size_t begin, size_t size);
    Text slice(size_t begin, size_t size) const;

    /// Jinja's Markup, what the filter `safe` gives: `+` escapes for HTML what it is joined with.
    bool isMarkup() const { return m_isMarkup; }
    Text& setMarkup(bool isMarkup) {
        m_isMarkup = isMarkup;
        return *this;
    }

  private:
    std::string m_bytes;
    std::vector<Run> m_runs;
    bool m_isMarkup = false;
};

/// Bytes of the first character of a text that is not empty; a byte that is no UTF-8 is a character.
size_t characterSize(std::string_view text);
size_t countCharacters(std::string_view text);
/// Characters by their number. O(1), after O(n) to create; takes memory for text beyond ASCII only.
class Characters {
  public:
    explicit Characters(std::string_view text);
    size_t count() const { return m_count; }
    /// Where character `i` begins; the end of the text for count().
    size_t start(size_t i) const { return m_starts.empty() ? i : m_starts[i]; }
    size_t size(size_t i) const { return start(i + 1) - start(i); }
    /// Memory for a text of `bytes` bytes at most, for budgets.
    static size_t cost(std::string_view text);

  private:
    size_t m_count;
    std::vector<uint32_t> m_starts;  ///< empty: every byte is a character
};

/// White space as Python's str.isspace() has it.
bool isSpace(std::string_view character);

/// Where the last character of a text that is not empty begins.
size_t lastCharacter(std::string_view text);

struct Range {
    size_t begin;
    size_t size;
};
enum class Side { Left, Right, Both };

/// What is left of `text` without the characters that `drop` accepts at its ends.
template <typename Drop>
Range stripped(std::string_view text, Side side, Drop drop) {
    size_t begin = 0;
    size_t end = text.size();
    if (side != Side::Right) {
        while (begin < end) {
            const size_t size = characterSize(text.substr(begin, end - begin));
            if (!drop(text.substr(begin, size))) break;
            begin += size;
        }
    }
    if (side != Side::Left) {
        while (end > begin) {
            const size_t last = begin + lastCharacter(text.substr(begin, end - begin));
            if (!drop(text.substr(last, end - last))) break;
            end = last;
        }
    }
    return {begin, end - begin};
}

}  // namespace ingle::chat::jinja
