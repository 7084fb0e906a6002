/// Writes a block into the document of a TextEdit, and only what changed when the block grows.
///
/// Positions in the document and offsets in content::plainText(), both in UTF-16, are the same thing except
/// in tables and behind a formula that is drawn, which is one character of the document.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QFont>
#include <QObject>
#include <QQmlParserStatus>
#include <QQuickTextDocument>
#include <QRectF>
#include <QTextObjectInterface>
#include <QTextTable>
#include <QTimer>
#include <QVariant>

#include <vector>

#include "app/desktop/content/shown_block.h"
#include "app/desktop/content/text_runs.h"

namespace ingle::desktop {

/// GUI thread.
class BlockDocument : public QObject, public QQmlParserStatus, public QTextObjectInterface {
    Q_OBJECT
    QML_ELEMENT
    Q_INTERFACES(QQmlParserStatus QTextObjectInterface)
    Q_PROPERTY(QQuickTextDocument* target MEMBER m_target NOTIFY styleChanged)
    /// A ShownBlock.
    Q_PROPERTY(QVariant block READ block WRITE setBlock NOTIFY shown)
    /// The text's font, by which columns are measured.
    Q_PROPERTY(QFont font MEMBER m_font NOTIFY styleChanged)
    Q_PROPERTY(QString fixedFamily MEMBER m_fixedFamily NOTIFY styleChanged)
    Q_PROPERTY(qreal codeSize MEMBER m_codeSize NOTIFY styleChanged)      ///< pixels
    Q_PROPERTY(qreal lineHeight MEMBER m_lineHeight NOTIFY styleChanged)  ///< per cent
    Q_PROPERTY(QColor linkColor MEMBER m_linkColor NOTIFY styleChanged)
    Q_PROPERTY(QColor codeSurface MEMBER m_codeSurface NOTIFY styleChanged)
    Q_PROPERTY(bool rightToLeft MEMBER m_rightToLeft NOTIFY styleChanged)  ///< order of columns
    /// What draws formulas; null: they are shown as they were written.
    Q_PROPERTY(
        ingle::desktop::FormulaPictures* formulas READ formulas WRITE setFormulas NOTIFY formulasChanged)
    /// More is coming: a formula at its end may not be whole yet.
    Q_PROPERTY(bool growing MEMBER m_growing NOTIFY growingChanged)
    /// All that it says, formulas as they were written.
    Q_PROPERTY(QString plain READ plain NOTIFY shown)
    /// Formulas of it are drawn, the widest of which takes so many pixels.
    Q_PROPERTY(bool draws READ draws NOTIFY shown)
    Q_PROPERTY(qreal widestFormula READ widestFormula NOTIFY shown)
    /// Of tables; 0 for other blocks.
    Q_PROPERTY(qreal tableWidth READ tableWidth NOTIFY shown)
    /// The position at which the rows below a table's head begin, or -1.
    Q_PROPERTY(int belowHead READ belowHead NOTIFY shown)
  public:
    using QObject::QObject;

    void classBegin() override {}
    void componentComplete() override;

    QVariant block() const { return QVariant::fromValue(m_block); }
    void setBlock(const QVariant& block);
    /// Null: there is none yet.
    const content::Block* shownBlock() const { return m_block.block.get(); }
    QTextDocument* document() const { return m_target != nullptr ? m_target->textDocument() : nullptr; }
    FormulaPictures* formulas() const { return m_formulas; }
    void setFormulas(FormulaPictures* formulas);
    QString plain() const;
    bool draws() const { return m_widestFormula > 0; }
    qreal widestFormula() const { return m_widestFormula; }
    qreal tableWidth() const;
    int belowHead() const;

    /// A formula that is drawn, and where: from the top of its picture to the bottom, around the line's feet.
    struct Place {
        FormulaPicturePtr picture;
        QPointF feet;  ///< where it begins on the line on which letters stand
        qreal xHeight;
    };
    std::vector<Place> formulaPlaces() const;

    Q_INVOKABLE int offsetAt(int position) const;
    /// Within a formula that is drawn: behind it.
    Q_INVOKABLE int positionOf(int offset) const;
    /// The same for where something begins: before it.
    Q_INVOKABLE int beginOf(int offset) const;
    /// Whether a link's target may be opened; any other is only shown.
    Q_INVOKABLE bool opens(const QString& link) const;

    /// A formula's room in the text; it is drawn by whoever shows the document (FormulaLayer).
    QSizeF intrinsicSize(QTextDocument* document, int position, const QTextFormat& format) override;
    void drawObject(QPainter*, const QRectF&, QTextDocument*, int, const QTextFormat&) override {}

  signals:
    void styleChanged();
    void formulasChanged();
    void growingChanged();
    /// The document shows the block as it is now.
    void shown();
    /// Lines stand elsewhere in it, or break elsewhere.
    void laidOut();

  private:
    void showAnew();
    void showFormulas();
    void show();
    void showText(const content::Block& block);
    void showTable(const content::Block& block, const content::Block& head);
    /// What makes runs of the block's texts.
    TextRuns maker();
    /// A formula that is drawn, in the order of the text.
    struct Drawn {
        int position = 0;
        int length = 0;  ///< of its source
        FormulaPicturePtr picture{};
    };
    std::vector<Drawn> drawn() const;
    /// Of a table, where its columns may stand from right to left.
    QTextTableCell cellAt(size_t row, size_t column) const;
    int tableOffsetAt(int position) const;
    int tablePositionOf(int offset) const;
    enum class Side { Before, Behind };
    int positionOf(int offset, Side side) const;
    std::vector<qreal> columnWidths(const content::Block& head);

    QQuickTextDocument* m_target = nullptr;
    ShownBlock m_block;
    QFont m_font;
    QString m_fixedFamily;
    qreal m_codeSize = 0;
    qreal m_lineHeight = 100;
    QColor m_linkColor;
    QColor m_codeSurface;
    bool m_rightToLeft = false;
    FormulaPictures* m_formulas = nullptr;
    bool m_growing = false;
    qreal m_shownLineHeight = 0;
    qreal m_widestFormula = 0;   ///< 0: none is drawn
    bool m_hasFormulas = false;  ///< drawn or not
    QTimer m_drawn;              ///< since one was drawn

    bool m_complete = false;
    std::vector<TextRun> m_runs;  ///< what the document holds, unless it is a table
    // Of tables.
    QTextTable* m_table = nullptr;
    std::vector<std::vector<content::RichText>> m_rows;
    std::vector<qreal> m_widths;
};

}  // namespace ingle::desktop
