#include "app/desktop/viewmodels/block_document.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QTextCursor>
#include <QTextDocument>

#include <algorithm>

#include "app/content/block_kind.h"
#include "app/content/leaf_parser.h"
#include "app/desktop/text.h"

namespace ingle::desktop {
namespace {

using content::Block;
using content::RichText;
using content::Span;
using content::SpanKind;

constexpr qreal kMaxColumnWidth = 300;
constexpr qreal kCellPaddingX = 12;
constexpr qreal kCellPaddingY = 6;

qsizetype numShared(const QString& a, const QString& b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return end.first - a.begin();
}

}  // namespace

void BlockDocument::componentComplete() {
    m_complete = true;
    connect(this, &BlockDocument::styleChanged, this, &BlockDocument::showAnew);
    if (document() != nullptr)
        connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
                &BlockDocument::laidOut);
    showAnew();
}

void BlockDocument::setBlock(const QVariant& block) {
    m_block = block.value<ShownBlock>();
    if (m_complete) show();
}

void BlockDocument::showAnew() {
    if (document() == nullptr) return;
    document()->setUndoRedoEnabled(false);
    if (!m_runs.empty() || m_table != nullptr) document()->clear();
    m_runs.clear();
    m_table = nullptr;
    m_rows.clear();
    m_widths.clear();
    show();
}

void BlockDocument::show() {
    if (document() == nullptr || m_block.block == nullptr) return;
    if (m_block.block->columns.empty()) {
        showText(*m_block.block);
    } else {
        showTable(*m_block.block, m_block.head != nullptr ? *m_block.head : *m_block.block);
    }
    emit shown();
}

void BlockDocument::showText(const Block& block) {
    Runs runs = runsOf(block.text, {});
    // What stays as it is …
    qsizetype numKept = 0;
    size_t first = 0;
    while (first < runs.size() && first < m_runs.size() && runs[first] == m_runs[first])
        numKept += runs[first++].text.size();
    qsizetype numKeptOfRun = 0;
    if (first < runs.size() && first < m_runs.size() && runs[first].format == m_runs[first].format)
        numKeptOfRun = numShared(runs[first].text, m_runs[first].text);
    // … and what comes behind it.
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    cursor.setPosition(static_cast<int>(numKept + numKeptOfRun));
    cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
    cursor.removeSelectedText();
    if (m_runs.empty()) {
        QTextBlockFormat lines;
        lines.setLineHeight(m_lineHeight, QTextBlockFormat::ProportionalHeight);
        cursor.setBlockFormat(lines);
    }
    for (size_t run = first; run < runs.size(); ++run) {
        cursor.insertText(runs[run].text.mid(numKeptOfRun), runs[run].format);
        numKeptOfRun = 0;
    }
    cursor.endEditBlock();
    m_runs = std::move(runs);
}

BlockDocument::Runs BlockDocument::runsOf(const RichText& text, const QTextCharFormat& base) const {
    // Where something begins or ends.
    std::vector<uint32_t> edges{0, static_cast<uint32_t>(text.text.size())};
    for (const Span& span : text.spans) {
        edges.push_back(span.begin);
        edges.push_back(span.end);
    }
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    Runs runs;
    std::vector<const Span*> open;
    size_t next = 0;
    for (size_t edge = 0; edge + 1 < edges.size(); ++edge) {
        const uint32_t begin = edges[edge];
        std::erase_if(open, [begin](const Span* span) { return span->end <= begin; });
        for (; next < text.spans.size() && text.spans[next].begin <= begin; ++next) {
            if (text.spans[next].end > begin) open.push_back(&text.spans[next]);
        }
        QTextCharFormat format = base;
        for (const Span* span : open) format = formatOf(text, *span, format);
        runs.push_back({QString::fromUtf8(text.text.data() + begin, static_cast<qsizetype>(edges[edge + 1]) -
                                                                        static_cast<qsizetype>(begin)),
                        format});
    }
    return runs;
}

QTextCharFormat BlockDocument::formatOf(const RichText& text, const Span& span,
                                        QTextCharFormat format) const {
    switch (span.kind) {
        case SpanKind::Strong:
            format.setFontWeight(QFont::Bold);
            break;
        case SpanKind::Emphasis:
            format.setFontItalic(true);
            break;
        case SpanKind::Strike:
            format.setFontStrikeOut(true);
            break;
        case SpanKind::Code:
            format.setBackground(m_codeSurface);
            [[fallthrough]];
        case SpanKind::Formula:
            format.setFontFamilies({m_fixedFamily});
            format.setProperty(QTextFormat::FontPixelSize, m_codeSize);
            break;
        case SpanKind::Link:
        case SpanKind::Image: {
            const std::string& target = text.targets[span.target];
            format.setAnchor(true);
            format.setAnchorHref(toQString(target));
            if (content::opensOutside(target)) {
                format.setForeground(m_linkColor);
            } else {
                format.setUnderlineStyle(QTextCharFormat::DotLine);
            }
            break;
        }
    }
    return format;
}

std::vector<qreal> BlockDocument::columnWidths(const Block& head) const {
    QFont bold = m_font;
    bold.setWeight(QFont::DemiBold);
    const QFontMetricsF plain(m_font);
    const QFontMetricsF strong(bold);
    std::vector<qreal> widths(head.columns.size(), 0);
    for (size_t row = 0; row < head.rows.size(); ++row) {
        for (size_t column = 0; column < std::min(head.rows[row].size(), widths.size()); ++column) {
            if (widths[column] >= kMaxColumnWidth) continue;
            const std::string& text = head.rows[row][column].text;
            const qreal width = (row == 0 ? strong : plain).horizontalAdvance(toQString(text));
            // A little more for what is code or strong.
            const qreal more = head.rows[row][column].spans.empty() ? 1.0 : 1.12;
            widths[column] = std::min(std::max(widths[column], width * more), kMaxColumnWidth);
        }
    }
    for (size_t column = 0; column < widths.size(); ++column) {
        const bool outer = column == 0 || column + 1 == widths.size();
        widths[column] = std::ceil(widths[column]) + (outer ? 1 : 2) * kCellPaddingX + 1;
    }
    return widths;
}

void BlockDocument::showTable(const Block& block, const Block& head) {
    const auto numRows = static_cast<int>(block.rows.size());
    const auto numColumns = static_cast<int>(block.columns.size());
    const Qt::LayoutDirection direction = m_rightToLeft ? Qt::RightToLeft : Qt::LeftToRight;
    if (m_table != nullptr && (m_table->columns() != numColumns || m_table->rows() > numRows)) {
        document()->clear();
        m_table = nullptr;
        m_rows.clear();
        m_widths.clear();
    }
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    if (m_table == nullptr) {
        m_table = cursor.insertTable(numRows, numColumns);
        // What a document has behind a table takes no room.
        QTextCursor end(document());
        end.movePosition(QTextCursor::End);
        QTextBlockFormat none;
        none.setLineHeight(1, QTextBlockFormat::FixedHeight);
        end.setBlockFormat(none);
    } else if (m_table->rows() < numRows) {
        m_table->appendRows(numRows - m_table->rows());
    }
    // The head of a piece that goes on does not change any more.
    const bool measured = m_block.head != nullptr && !m_widths.empty();
    if (std::vector<qreal> widths = measured ? m_widths : columnWidths(head);
        widths != m_widths || m_table->format().layoutDirection() != direction) {
        m_widths = std::move(widths);
        QTextTableFormat format;
        format.setBorder(0);
        format.setCellSpacing(0);
        format.setCellPadding(0);
        format.setLayoutDirection(direction);
        QList<QTextLength> lengths;
        for (const qreal width : m_widths) lengths.append(QTextLength(QTextLength::FixedLength, width));
        format.setColumnWidthConstraints(lengths);
        m_table->setFormat(format);
    }
    const bool hasHead = block.seam == content::Seam::None;
    for (size_t row = 0; row < block.rows.size(); ++row) {
        if (row < m_rows.size() && m_rows[row] == block.rows[row]) continue;
        QTextCharFormat base;
        if (hasHead && row == 0) base.setFontWeight(QFont::DemiBold);
        for (size_t column = 0; column < block.columns.size(); ++column) {
            QTextTableCell cell = m_table->cellAt(static_cast<int>(row), static_cast<int>(column));
            QTextCursor at = cell.firstCursorPosition();
            at.setPosition(cell.lastCursorPosition().position(), QTextCursor::KeepAnchor);
            at.removeSelectedText();
            QTextBlockFormat lines;
            const content::Alignment alignment = block.columns[column];
            lines.setAlignment(alignment == content::Alignment::Right    ? Qt::AlignRight | Qt::AlignAbsolute
                               : alignment == content::Alignment::Centre ? Qt::AlignHCenter
                               : alignment == content::Alignment::Left   ? Qt::AlignLeft | Qt::AlignAbsolute
                                                                         : Qt::AlignLeading);
            at.setBlockFormat(lines);
            QTextTableCellFormat format;
            format.merge(base);
            if (column > 0) format.setLeftPadding(kCellPaddingX);
            if (column + 1 < block.columns.size()) format.setRightPadding(kCellPaddingX);
            format.setTopPadding(kCellPaddingY);
            format.setBottomPadding(kCellPaddingY);
            cell.setFormat(format);
            if (column >= block.rows[row].size()) continue;
            for (const Run& run : runsOf(block.rows[row][column], base)) at.insertText(run.text, run.format);
        }
    }
    cursor.endEditBlock();
    m_rows = block.rows;
}

qreal BlockDocument::tableWidth() const {
    qreal width = 0;
    for (const qreal column : m_widths) width += column;
    return width;
}

int BlockDocument::belowHead() const {
    if (m_table == nullptr || m_table->rows() < 2 || m_block.block->seam != content::Seam::None) return -1;
    return m_table->cellAt(1, 0).firstPosition();
}

int BlockDocument::offsetAt(int position) const {
    if (m_table == nullptr) return position;
    int offset = 0;
    for (size_t row = 0; row < m_rows.size(); ++row) {
        for (size_t column = 0; column < m_rows[row].size(); ++column) {
            const QTextTableCell cell = m_table->cellAt(static_cast<int>(row), static_cast<int>(column));
            if (position < cell.firstPosition()) return offset;
            if (position <= cell.lastPosition()) return offset + position - cell.firstPosition();
            offset += cell.lastPosition() - cell.firstPosition() + 1;
        }
    }
    return std::max(offset - 1, 0);
}

int BlockDocument::positionOf(int offset) const {
    if (m_table == nullptr)
        return document() == nullptr ? 0 : std::min(offset, document()->characterCount() - 1);
    int position = 0;
    for (size_t row = 0; row < m_rows.size(); ++row) {
        for (size_t column = 0; column < m_rows[row].size(); ++column) {
            const QTextTableCell cell = m_table->cellAt(static_cast<int>(row), static_cast<int>(column));
            position = cell.lastPosition();
            const int length = cell.lastPosition() - cell.firstPosition();
            if (offset <= length) return cell.firstPosition() + offset;
            offset -= length + 1;
        }
    }
    return position;
}

bool BlockDocument::opens(const QString& link) const {
    return content::opensOutside(link.toStdString());
}

}  // namespace ingle::desktop
