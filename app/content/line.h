/// One line of Markdown, from which the marks of quotations and list items are taken off from left to right.
/// Source: CommonMark 0.30, sections 2.2 (tabs stop every four columns) and 5.
#pragma once

#include <string>
#include <string_view>

namespace ingle::content {

/// So many columns before a text make it code, or the continuation of a paragraph: never a mark.
constexpr int kCodeIndent = 4;

class Line {
  public:
    /// `text`: without its line end; must outlive the line.
    explicit Line(std::string_view text);

    /// Columns of white space before content().
    int indent() const { return m_indent; }
    bool indented() const { return m_indent >= kCodeIndent; }
    bool blank() const { return m_content.empty(); }
    /// From the first character that is not white space.
    std::string_view content() const { return m_content; }
    /// The line without its first `columns` of white space, or all of that if there is less.
    std::string withoutIndent(int columns) const;

    void dropIndent(int columns);
    /// Takes off the white space and the first `bytes` of content().
    void dropMark(size_t bytes);

  private:
    void measure();

    std::string_view m_rest;
    std::string_view m_content;
    int m_column = 0;  ///< of m_rest
    int m_spare = 0;   ///< columns left of a tab that was taken off in part; they stand before m_rest
    int m_indent = 0;
};

/// `text` with U+FFFD for U+0000, for what is not UTF-8, and for characters that the parser uses itself.
std::string validText(std::string_view text);

/// How much of `text` is there without a character at its end that has only begun.
size_t wholeCharacters(std::string_view text);

}  // namespace ingle::content
