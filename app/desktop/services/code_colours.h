/// Colours of code.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QByteArray>
#include <QCache>
#include <QList>
#include <QObject>
#include <QString>

#include <functional>

#include "app/desktop/services/typesetter.h"

namespace ingle::desktop {

/// What a piece of code is.
enum class CodeColour { Comment, String, Keyword, Number, Name, Type, Variable, Added, Removed };

struct ColourSpan {
    int begin = 0;  ///< UTF-16 units of the code
    int end = 0;
    CodeColour colour = CodeColour::Comment;

    bool operator==(const ColourSpan&) const = default;
};

/// GUI thread. Answers are kept, so that a chat that is opened again asks for nothing.
class CodeColours : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
  public:
    using Spans = QList<ColourSpan>;
    using Then = std::function<void(const Spans&)>;

    /// `program`: the child; where there is none, nothing is coloured.
    explicit CodeColours(QString program, QObject* parent = nullptr, TypesetterPatience patience = {});

    /// `label`: what follows the fence. `then` is called once, now if the answer is known; unless `context`
    /// has gone. What is too long, in an unknown language or takes too long has no spans.
    void ask(const QString& label, const QString& code, QObject* context, Then then);

  private:
    Typesetter m_typesetter;
    QCache<QByteArray, Spans> m_known;
};

}  // namespace ingle::desktop
