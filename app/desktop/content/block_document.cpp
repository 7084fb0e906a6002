#include "app/desktop/content/block_document.h"

#include <QAbstractTextDocumentLayout>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "app/content/block_kind.h"
#include "app/content/formulas.h"
#include "app/content/leaf_parser.h"
#include "app/content/selection.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

using content::Block;
using content::RichText;
using content::Span;
using content::SpanKind;

constexpr qreal kMaxColumnWidth = 300;
constexpr qreal kCellPaddingX = 12;
constexpr qreal kCellPaddingY = 6;
constexpr std::chrono::milliseconds kTogether{30};

/// Of the character that stands for a formula.
constexpr int kFormula = QTextFormat::UserObject + 1;
constexpr int kPicture = QTextFormat::UserProperty + 1;       ///< a FormulaPicturePtr
constexpr int kSourceLength = QTextFormat::UserProperty + 2;  ///< UTF-16 units
constexpr int kRoom = QTextFormat::UserProperty + 3;          ///< a QSizeF

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
    document()->documentLayout()->registerHandler(kFormula, this);
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
    m_hasFormulas = false;
    m_widestFormula = 0;
    Runs runs = block.kind != nullptr && block.kind->name == "formula" ? formulaRuns(block)
                                                                       : runsOf(block.text, {}, m_growing);
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

BlockDocument::Runs BlockDocument::runsOf(const RichText& text, const QTextCharFormat& base, bool grows) {
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
        const uint32_t end = edges[edge + 1];
        const QString piece =
            QString::fromUtf8(text.text.data() + begin, static_cast<qsizetype>(end - begin));
        const bool isFormula = !open.empty() && open.back()->kind == SpanKind::Formula;
        // What is open at the end of a text that grows is only shown as if it were closed.
        const bool mayGrow = grows && end == text.text.size();
        runs.push_back(isFormula && !mayGrow ? formulaRun(piece, format) : Run{piece, format});
        m_hasFormulas = m_hasFormulas || isFormula;
    }
    return runs;
}

BlockDocument::Runs BlockDocument::formulaRuns(const Block& block) {
    const std::string& text = block.text.text;
    const std::optional<size_t> end = content::FormulaFinder(text).endOf(0);
    m_hasFormulas = true;
    QTextCharFormat code;
    code.setFontFamilies({m_fixedFamily});
    code.setProperty(QTextFormat::FontPixelSize, m_codeSize);
    if (!end) return {{toQString(text), code}};
    Runs runs{formulaRun(toQString(text.substr(0, *end)), code)};
    // The full stop of its sentence.
    if (*end < text.size())
        runs.push_back({toQString(text.substr(*end)), runs.front().picture ? QTextCharFormat() : code});
    return runs;
}

BlockDocument::Run BlockDocument::formulaRun(const QString& source, const QTextCharFormat& format) {
    Run run{source, format};
    if (m_formulas == nullptr) return run;
    run.picture = m_formulas->find(source, this, [this] {
        if (!m_drawn.isActive()) m_drawn.start();
    });
    if (!run.picture) return run;
    const qreal xHeight = QFontMetricsF(m_font).xHeight();
    const qreal ascent = std::ceil(run.picture->ascent * xHeight);
    const qreal depth = std::ceil(run.picture->depth * xHeight);
    const qreal width = std::ceil(run.picture->width * xHeight);
    m_widestFormula = std::max(m_widestFormula, width);
    run.format.setFontFamilies({m_font.family()});
    run.format.setObjectType(kFormula);
    run.format.setProperty(kPicture, QVariant::fromValue(run.picture));
    run.format.setProperty(kSourceLength, static_cast<int>(source.size()));
    run.format.setProperty(kRoom, QSizeF(width, ascent + depth));
    // A layout lays an object on the line, or its middle at half the height of an x of the object's own font:
    // with the right size of that, so much of it stands above the line as should.
    if (depth > 0) {
        run.format.setVerticalAlignment(QTextCharFormat::AlignMiddle);
        const qreal perPixel = xHeight / std::max(1, QFontInfo(m_font).pixelSize());
        run.format.setProperty(QTextFormat::FontPixelSize,
                               std::max(1, qRound(2 * std::max(ascent - depth, 0.0) / perPixel)));
    }
    return run;
}

QSizeF BlockDocument::intrinsicSize(QTextDocument*, int, const QTextFormat& format) {
    return format.property(kRoom).toSizeF();
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
            if (format.objectType() != kFormula) continue;
            // Two of the same that touch are one fragment.
            for (int at = 0; at < fragment.length(); ++at)
                all.push_back({fragment.position() + at, format.intProperty(kSourceLength),
                               format.property(kPicture).value<FormulaPicturePtr>()});
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

std::vector<qreal> BlockDocument::columnWidths(const Block& head) {
    QFont bold = m_font;
    bold.setWeight(QFont::DemiBold);
    const QFontMetricsF plain(m_font);
    const QFontMetricsF strong(bold);
    std::vector<qreal> widths(head.columns.size(), 0);
    for (size_t row = 0; row < head.rows.size(); ++row) {
        for (size_t column = 0; column < std::min(head.rows[row].size(), widths.size()); ++column) {
            if (widths[column] >= kMaxColumnWidth) continue;
            qreal width = 0;
            for (const Run& run : runsOf(head.rows[row][column], {}, false))
                width += run.picture ? run.format.property(kRoom).toSizeF().width()
                                     : (row == 0 ? strong : plain).horizontalAdvance(run.text);
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
            const bool grows =
                m_growing && row + 1 == block.rows.size() && column + 1 == block.rows[row].size();
            for (const Run& run : runsOf(block.rows[row][column], base, grows))
                at.insertText(run.shown(), run.format);
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

int BlockDocument::tableOffsetAt(int position) const {
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

int BlockDocument::tablePositionOf(int offset) const {
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
