#include "app/desktop/content/block_document.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/content/block_kind.h"
#include "app/content/leaf_parser.h"
#include "app/content/selection.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

using content::Block;

constexpr qreal kMaxColumnWidth = 300;
constexpr qreal kCellPaddingX = 12;
constexpr qreal kCellPaddingY = 6;
constexpr std::chrono::milliseconds kTogether{30};

qsizetype numShared(const QString& a, const QString& b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return end.first - a.begin();
}

}  // namespace

void BlockDocument::componentComplete() {
    m_complete = true;
    connect(this, &BlockDocument::styleChanged, this, &BlockDocument::showAnew);
    // What stands at its end is whole now.
    connect(this, &BlockDocument::growingChanged, this, [this] {
        if (m_hasFormulas) showFormulas();
    });
    // Several that are drawn one behind the other are shown together.
    m_drawn.setSingleShot(true);
    m_drawn.setInterval(kTogether);
    connect(&m_drawn, &QTimer::timeout, this, &BlockDocument::showFormulas);
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
    document()->documentLayout()->registerHandler(kFormulaObject, this);
    if (!m_runs.empty() || m_table != nullptr) document()->clear();
    m_runs.clear();
    m_table = nullptr;
    m_rows.clear();
    m_widths.clear();
    m_hasFormulas = false;
    m_widestFormula = 0;
    show();
}

void BlockDocument::showFormulas() {
    // Rows of a table are written once.
    m_table != nullptr ? showAnew() : show();
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
    TextRuns make = maker();
    const bool isFormula = block.kind != nullptr && block.kind->name == "formula";
    std::vector<TextRun> runs = isFormula ? make.ofFormula(block) : make.of(block.text, {}, m_growing);
    m_hasFormulas = make.hasFormulas();
    m_widestFormula = make.widestFormula();
    // What stays as it is …
    qsizetype numKept = 0;
    size_t first = 0;
    while (first < runs.size() && first < m_runs.size() && runs[first] == m_runs[first])
        numKept += runs[first++].shown().size();
    qsizetype numKeptOfRun = 0;
    if (first < runs.size() && first < m_runs.size() && runs[first].format == m_runs[first].format &&
        !runs[first].picture && !m_runs[first].picture)
        numKeptOfRun = numShared(runs[first].text, m_runs[first].text);
    // … and what comes behind it.
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    cursor.setPosition(static_cast<int>(numKept + numKeptOfRun));
    cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
    cursor.removeSelectedText();
    QTextBlockFormat lines;
    // A drawing that is alone has its own distance to what is around it.
    lines.setLineHeight(runs.size() == 1 && runs.front().picture ? 100 : m_lineHeight,
                        QTextBlockFormat::ProportionalHeight);
    if (m_runs.empty() || lines.lineHeight() != m_shownLineHeight) {
        cursor.select(QTextCursor::Document);
        cursor.setBlockFormat(lines);
        cursor.movePosition(QTextCursor::End);
        m_shownLineHeight = lines.lineHeight();
    }
    for (size_t run = first; run < runs.size(); ++run) {
        cursor.insertText(runs[run].shown().mid(numKeptOfRun), runs[run].format);
        numKeptOfRun = 0;
    }
    cursor.endEditBlock();
    m_runs = std::move(runs);
}

TextRuns BlockDocument::maker() {
    const TextLook look{m_font, m_fixedFamily, m_codeSize, m_linkColor, m_codeSurface};
    return {look, m_formulas, this, [this] {
                if (!m_drawn.isActive()) m_drawn.start();
            }};
}

QSizeF BlockDocument::intrinsicSize(QTextDocument*, int, const QTextFormat& format) {
    return format.property(kFormulaRoom).toSizeF();
}

void BlockDocument::setFormulas(FormulaPictures* formulas) {
    if (formulas == m_formulas) return;
    m_formulas = formulas;
    emit formulasChanged();
    if (m_complete && m_hasFormulas) showAnew();
}

QString BlockDocument::plain() const {
    return m_block.block != nullptr ? toQString(content::plainText(*m_block.block)) : QString();
}

std::vector<BlockDocument::Drawn> BlockDocument::drawn() const {
    std::vector<Drawn> all;
    if (!draws() || document() == nullptr) return all;
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            const QTextCharFormat format = fragment.charFormat();
            if (format.objectType() != kFormulaObject) continue;
            // Two of the same that touch are one fragment.
            for (int at = 0; at < fragment.length(); ++at)
                all.push_back({fragment.position() + at, format.intProperty(kFormulaSourceLength),
                               format.property(kFormulaPicture).value<FormulaPicturePtr>()});
        }
    }
    return all;
}

std::vector<BlockDocument::Place> BlockDocument::formulaPlaces() const {
    std::vector<Place> places;
    const qreal xHeight = QFontMetricsF(m_font).xHeight();
    for (const Drawn& formula : drawn()) {
        const QTextBlock block = document()->findBlock(formula.position);
        const int at = formula.position - block.position();
        const QTextLine line = block.layout()->lineForTextPosition(at);
        if (!line.isValid()) continue;
        const QPointF origin = document()->documentLayout()->blockBoundingRect(block).topLeft() -
                               block.layout()->boundingRect().topLeft();
        const qreal x = std::min(line.cursorToX(at), line.cursorToX(at + 1));
        places.push_back({formula.picture, origin + QPointF(x, line.y() + line.ascent()), xHeight});
    }
    return places;
}

std::vector<qreal> BlockDocument::columnWidths(const Block& head) {
    QFont bold = m_font;
    bold.setWeight(QFont::DemiBold);
    const QFontMetricsF plain(m_font);
    const QFontMetricsF strong(bold);
    const auto widthOf = [&](const TextRun& run, bool isHead) {
        if (run.picture) return run.format.property(kFormulaRoom).toSizeF().width();
        if (run.format.isEmpty()) return (isHead ? strong : plain).horizontalAdvance(run.text);
        // Code, or strong.
        return QFontMetricsF(run.format.font().resolve(isHead ? bold : m_font)).horizontalAdvance(run.text);
    };
    std::vector<qreal> widths(head.columns.size(), 0);
    TextRuns make = maker();
    for (size_t row = 0; row < head.rows.size(); ++row) {
        for (size_t column = 0; column < std::min(head.rows[row].size(), widths.size()); ++column) {
            if (widths[column] >= kMaxColumnWidth) continue;
            qreal width = 0;
            for (const TextRun& run : make.of(head.rows[row][column], {}, false))
                width += widthOf(run, row == 0);
            widths[column] = std::min(std::max(widths[column], width), kMaxColumnWidth);
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
    if (std::vector<qreal> widths = measured ? m_widths : columnWidths(head); widths != m_widths) {
        m_widths = std::move(widths);
        QTextTableFormat format;
        format.setBorder(0);
        format.setCellSpacing(0);
        format.setCellPadding(0);
        QList<QTextLength> lengths;
        for (const qreal width : m_widths) lengths.append(QTextLength(QTextLength::FixedLength, width));
        if (m_rightToLeft) std::ranges::reverse(lengths);
        format.setColumnWidthConstraints(lengths);
        m_table->setFormat(format);
    }
    const bool hasHead = block.seam == content::Seam::None;
    TextRuns make = maker();
    for (size_t row = 0; row < block.rows.size(); ++row) {
        if (row < m_rows.size() && m_rows[row] == block.rows[row]) continue;
        QTextCharFormat base;
        if (hasHead && row == 0) base.setFontWeight(QFont::DemiBold);
        for (size_t column = 0; column < block.columns.size(); ++column) {
            QTextTableCell cell = cellAt(row, column);
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
            if (cell.column() > 0) format.setLeftPadding(kCellPaddingX);
            if (cell.column() + 1 < numColumns) format.setRightPadding(kCellPaddingX);
            format.setTopPadding(kCellPaddingY);
            format.setBottomPadding(kCellPaddingY);
            cell.setFormat(format);
            if (column >= block.rows[row].size()) continue;
            const bool grows =
                m_growing && row + 1 == block.rows.size() && column + 1 == block.rows[row].size();
            for (const TextRun& run : make.of(block.rows[row][column], base, grows))
                at.insertText(run.shown(), run.format);
        }
    }
    cursor.endEditBlock();
    m_hasFormulas = m_hasFormulas || make.hasFormulas();
    m_widestFormula = std::max(m_widestFormula, make.widestFormula());
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
    int offset = tableOffsetAt(position);
    for (const Drawn& formula : drawn())
        if (formula.position < position) offset += formula.length - 1;
    return offset;
}

int BlockDocument::positionOf(int offset) const {
    return positionOf(offset, Side::Behind);
}

int BlockDocument::beginOf(int offset) const {
    return positionOf(offset, Side::Before);
}

int BlockDocument::positionOf(int offset, Side side) const {
    int hidden = 0;  // units of sources before it
    for (const Drawn& formula : drawn()) {
        const int begin = tableOffsetAt(formula.position) + hidden;
        if (offset <= begin) break;
        if (offset < begin + formula.length) return formula.position + (side == Side::Behind ? 1 : 0);
        hidden += formula.length - 1;
    }
    return tablePositionOf(offset - hidden);
}

QTextTableCell BlockDocument::cellAt(size_t row, size_t column) const {
    // Qt lays all tables from left to right.
    const auto place = static_cast<int>(m_rightToLeft ? m_widths.size() - 1 - column : column);
    return m_table->cellAt(static_cast<int>(row), place);
}

int BlockDocument::tableOffsetAt(int position) const {
    if (m_table == nullptr) return position;
    if (position < m_table->firstPosition()) return 0;
    int offset = 0;
    for (size_t row = 0; row < m_rows.size(); ++row) {
        for (size_t column = 0; column < m_rows[row].size(); ++column) {
            const QTextTableCell cell = cellAt(row, column);
            if (position >= cell.firstPosition() && position <= cell.lastPosition())
                return offset + position - cell.firstPosition();
            offset += cell.lastPosition() - cell.firstPosition() + 1;
        }
    }
    return std::max(offset - 1, 0);
}

int BlockDocument::tablePositionOf(int offset) const {
    if (m_table == nullptr)
        return document() == nullptr ? 0 : std::min(offset, document()->characterCount() - 1);
    int position = 0;
    for (size_t row = 0; row < m_rows.size(); ++row) {
        for (size_t column = 0; column < m_rows[row].size(); ++column) {
            const QTextTableCell cell = cellAt(row, column);
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
