/// Markdown as a flat list of blocks a list view can show. While an answer streams, finished segments are
/// parsed once and frozen; only the last segment is parsed again.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <string>
#include <string_view>

namespace ingle::desktop {

/// One paragraph-like piece. Lists and quotes are not nested blocks: each piece carries its depth, so that a
/// view lays out any nesting with an indent.
struct MarkdownBlock {
    enum class Kind { Paragraph, Heading, Code, Table, Rule, Reasoning };

    Kind kind = Kind::Paragraph;
    int level = 0;     ///< headings: 1 to 6; reasoning: 1 while it has no end
    int indent = 0;    ///< depth of lists around it
    int quote = 0;     ///< depth of quotations around it
    QString marker;    ///< "•", "3." … on the first piece of a list item
    QString html;      ///< inline text of paragraphs and headings; every character of the source is escaped
    QString plain;     ///< the same without markup; the code of a code block; what the model thinks
    QString language;  ///< code blocks: first word after the fence
    QList<QStringList> rows;  ///< tables: inline html of each cell, the header row first
    QList<Qt::Alignment> columns;

    bool operator==(const MarkdownBlock&) const = default;
};

/// Parses one text: CommonMark with tables, strike-through, task lists and bare links. Raw HTML is shown as
/// text; pictures become links, nothing is ever loaded. `text`: UTF-8, any bytes are accepted.
QList<MarkdownBlock> parseMarkdown(std::string_view text);

/// A text that grows at its end. The text is cut into segments at blank lines and code fences where no later
/// text can change what came before (one deviation follows: a link reference definition reaches only its own
/// segment). A line "<think>" begins what the model thinks, which is one block up to the line "</think>". The
/// blocks depend on the text alone, never on how it was cut into chunks.
class MarkdownStream {
  public:
    /// `text`: UTF-8, whole characters. Cost: the length of the last segment.
    void append(std::string_view text);

    const QList<MarkdownBlock>& blocks() const { return m_blocks; }
    /// Blocks before this index never change again.
    qsizetype frozenCount() const { return m_frozenCount; }
    /// Bytes handed to the parser so far: the work done.
    size_t parsedBytes() const { return m_parsedBytes; }

  private:
    void scanLines();
    void takeLine(std::string_view line, size_t lineStart);
    void freezeBefore(size_t end);

    std::string m_tail;    ///< text of the last segment
    size_t m_scanned = 0;  ///< complete lines of m_tail seen by the scanner
    std::string m_fence;   ///< the fence that opened the code block the scanner is in, or empty
    bool m_listSegment = false;
    bool m_blankBefore = false;
    size_t m_parsedBytes = 0;
    QList<MarkdownBlock> m_blocks;
    qsizetype m_frozenCount = 0;
};

}  // namespace ingle::desktop
