/// The chats of the window, as other features know them. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/desktop/services/running_answers.h"
#include "app/desktop/services/shown_chat.h"

namespace ingle::desktop {

class Chats : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
  public:
    using QObject::QObject;

    /// That of the history, also while a private one is in view.
    virtual ShownChat& kept() = 0;
    /// Those of the history.
    virtual RunningAnswers& answers() = 0;
    /// A private chat is in view.
    virtual bool isPrivate() const = 0;

  signals:
    /// Another chat is in view: a private one or that of the history.
    void shownChanged();
};

}  // namespace ingle::desktop
