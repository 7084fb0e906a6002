/// Formulas as drawings.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QByteArray>
#include <QCache>
#include <QColor>
#include <QHash>
#include <QImage>
#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/desktop/services/typesetter.h"

namespace ingle::desktop {

/// A drawing in "currentColor" whose size depends on that of the text around it: lengths are in heights of
/// its x.
struct FormulaPicture {
    QByteArray svg;
    qreal width = 0;
    qreal ascent = 0;  ///< above the line on which letters stand
    qreal depth = 0;   ///< below it
};

/// Null: it cannot be drawn, and is shown as it was written.
using FormulaPicturePtr = std::shared_ptr<const FormulaPicture>;

/// `xHeight`: pixels of the device. Its last row of letters' feet is `ceil(ascent)` rows below the top.
QImage paintedFormula(const FormulaPicture& picture, const QColor& colour, qreal xHeight);

/// GUI thread. Drawings are kept, so that a chat that is opened again asks for nothing.
class FormulaPictures : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
  public:
    using Then = std::function<void()>;

    /// `program`: the child; where there is none, nothing is drawn.
    explicit FormulaPictures(QString program, QObject* parent = nullptr, TypesetterPatience patience = {});

    /// `source`: with its marks. The drawing if it is known; if not, `then` is called once when it is, or
    /// when there is none, unless `context` has gone. Null at once, without a call: it is too long, or
    /// nothing draws.
    FormulaPicturePtr find(const QString& source, QObject* context, Then then);
    /// Whether it is not known yet.
    bool isAsked(const QString& source) const { return m_asked.contains(source); }

  private:
    using Waiting = std::vector<std::pair<QPointer<QObject>, Then>>;

    void answer(const QString& source, const QJsonObject& object, Typesetter::Memory memory);

    Typesetter m_typesetter;
    QCache<QString, FormulaPicturePtr> m_known;
    QHash<QString, Waiting> m_asked;
};

}  // namespace ingle::desktop
