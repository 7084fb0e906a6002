/// Writes a block into the document of a TextEdit, and only what changed when the block grows.
///
/// Positions in the document and offsets in content::plainText(), both in UTF-16, are the same thing except
/// in tables.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QFont>
#include <QObject>
#include <QQmlParserStatus>
#include <QQuickTextDocument>
#include <QTextCharFormat>
#include <QTextTable>
#include <QVariant>

#include <vector>

#include "app/desktop/viewmodels/shown_block.h"

namespace ingle::desktop {

/// GUI thread.
class BlockDocument : public QObject, public QQmlParserStatus {
    Q_OBJECT
    QML_ELEMENT
    Q_INTERFACES(QQmlParserStatus)
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
    qreal tableWidth() const;
    int belowHead() const;

    Q_INVOKABLE int offsetAt(int position) const;
    Q_INVOKABLE int positionOf(int offset) const;
    /// Whether a link's target may be opened; any other is only shown.
    Q_INVOKABLE bool opens(const QString& link) const;

  signals:
    void styleChanged();
    /// The document shows the block as it is now.
    void shown();
    /// Lines stand elsewhere in it, or break elsewhere.
    void laidOut();

  private:
    /// Text of one look.
    struct Run {
        QString text;
        QTextCharFormat format;

        bool operator==(const Run&) const = default;
    };
    using Runs = std::vector<Run>;

    void showAnew();
    void show();
    void showText(const content::Block& block);
    void showTable(const content::Block& block, const content::Block& head);
    Runs runsOf(const content::RichText& text, const QTextCharFormat& base) const;
    QTextCharFormat formatOf(const content::RichText& text, const content::Span& span,
                             QTextCharFormat format) const;
    std::vector<qreal> columnWidths(const content::Block& head) const;

    QQuickTextDocument* m_target = nullptr;
    ShownBlock m_block;
    QFont m_font;
    QString m_fixedFamily;
    qreal m_codeSize = 0;
    qreal m_lineHeight = 100;
    QColor m_linkColor;
    QColor m_codeSurface;
    bool m_rightToLeft = false;

    bool m_complete = false;
    Runs m_runs;  ///< what the document holds, unless it is a table
    // Of tables.
    QTextTable* m_table = nullptr;
    std::vector<std::vector<content::RichText>> m_rows;
    std::vector<qreal> m_widths;
};

}  // namespace ingle::desktop
