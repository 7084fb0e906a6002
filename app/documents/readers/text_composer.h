/// Puts a document's text together from what readers find in order: paragraphs, headings, list items, tables.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/documents/document.h"
#include "app/documents/readers/time_limit.h"
#include "app/documents/refusals.h"
#include "ingle/result.h"

namespace ingle::documents {

/// Text is given in pieces to the open block, which ends with one of the functions end…(); an empty one
/// leaves no trace. Everything is cleaned (text_encoding.h). Stops taking anything once it is full or the
/// time is over; finish() says so.
class TextComposer {
  public:
    /// `format` is what the text so far is kept for, should the reader's time be over (time_limit.h).
    explicit TextComposer(std::string_view format);

    /// Kept as it is.
    void text(std::string_view piece);
    /// Runs of spaces and line ends are one space, and none stand at the beginning: as HTML and OpenDocument
    /// mean it.
    void words(std::string_view piece);
    void lineBreak();

    void endParagraph();
    /// `level`: 1 to 6, others are brought into that range. A place, but in a table.
    void endHeading(uint32_t level);
    /// `depth`: of lists in lists, from 0.
    void endItem(uint32_t depth);
    /// Of text whose lines and spaces count: fenced.
    void endCode();

    /// Tables in tables are text of the outer one's cell.
    void beginTable();
    void endCell();
    void endRow();
    void endTable();

    /// A place, once text follows.
    void beginPage(uint32_t number);
    void lost(LossKind kind, uint64_t count = 1);

    /// Nothing more is taken.
    bool isFull() const { return m_isFull || isTimeOver(); }
    /// Whether the open block has anything but white space.
    bool hasBlock() const { return m_block.find_first_not_of(" \t\n") != std::string::npos; }

    /// Errors: TooMuchText, Empty, ReaderTooSlow. `title` may be empty or several lines.
    Result<Document> finish(std::string_view title);

  private:
    enum class Glue { Paragraph, Item, Row };

    /// Appends the finished block as it is; neighbours of one kind that is not Paragraph have no empty line
    /// between them.
    void emit(std::string_view block, Glue glue);
    std::string takeBlock();
    bool isInTable() const { return m_tables > 0; }
    void addToCell(std::string_view block);

    std::string m_format;
    std::string m_text;  ///< never moves
    std::string m_block;
    std::string m_cell;
    std::string m_row;
    bool m_rowHasText = false;
    size_t m_tables = 0;  ///< open ones
    Glue m_last = Glue::Paragraph;
    std::vector<Place> m_places;
    std::optional<Place> m_page;  ///< whose text has not begun
    std::map<LossKind, uint64_t> m_losses;
    bool m_isFull = false;
};

}  // namespace ingle::documents
