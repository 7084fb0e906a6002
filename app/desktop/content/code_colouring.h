/// Paints the text of a TextEdit in the colours of its language.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QObject>
#include <QPointer>
#include <QQuickTextDocument>
#include <QTimer>

#include "app/desktop/services/code_colours.h"

namespace ingle::desktop {

/// Each piece of a long block is coloured by itself: where a comment or a text goes across two pieces, both
/// may have colours that are not theirs. GUI thread.
class CodeColouring : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(ingle::desktop::CodeColours* colours MEMBER m_colours NOTIFY changed)
    Q_PROPERTY(QQuickTextDocument* target MEMBER m_target NOTIFY changed)
    /// What follows the fence.
    Q_PROPERTY(QString label MEMBER m_label NOTIFY changed)
    Q_PROPERTY(QString code MEMBER m_code NOTIFY changed)
    /// More is coming: it is asked for now and then.
    Q_PROPERTY(bool growing MEMBER m_growing NOTIFY changed)

    Q_PROPERTY(QColor comment MEMBER m_comment NOTIFY paletteChanged)
    Q_PROPERTY(QColor string MEMBER m_string NOTIFY paletteChanged)
    Q_PROPERTY(QColor keyword MEMBER m_keyword NOTIFY paletteChanged)
    Q_PROPERTY(QColor number MEMBER m_number NOTIFY paletteChanged)
    Q_PROPERTY(QColor name MEMBER m_name NOTIFY paletteChanged)
    Q_PROPERTY(QColor type MEMBER m_type NOTIFY paletteChanged)
    Q_PROPERTY(QColor variable MEMBER m_variable NOTIFY paletteChanged)
    Q_PROPERTY(QColor added MEMBER m_added NOTIFY paletteChanged)
    Q_PROPERTY(QColor removed MEMBER m_removed NOTIFY paletteChanged)
  public:
    explicit CodeColouring(QObject* parent = nullptr);
    ~CodeColouring() override;

    /// The colour of a character, or an invalid one where it is plain.
    QColor colourAt(int position) const;

  signals:
    void changed();
    void paletteChanged();
    void coloured();

  private:
    class Painter;

    void ask();
    QColor of(CodeColour colour) const;

    QPointer<CodeColours> m_colours;
    QPointer<QQuickTextDocument> m_target;
    QString m_label;
    QString m_code;
    bool m_growing = false;
    QColor m_comment, m_string, m_keyword, m_number, m_name, m_type, m_variable, m_added, m_removed;

    QTimer m_pause;
    CodeColours::Spans m_spans;
    QPointer<Painter> m_painter;  ///< a child of the document
};

}  // namespace ingle::desktop
