/// The chat that is shown, as other features know it. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>

#include "app/history/chats/messages.h"
#include "app/history/store/row_id.h"

namespace ingle::desktop {

class ShownChat : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    /// 0: a new conversation, which exists once its first message is sent. (A double holds every id that will
    /// ever be given, and unlike qint64 it is a type QML's tools know.)
    Q_PROPERTY(double conversationId READ conversationId NOTIFY conversationChanged)
    Q_PROPERTY(bool readOnly READ readOnly NOTIFY readOnlyChanged)
  public:
    using QObject::QObject;

    virtual double conversationId() const = 0;
    virtual bool readOnly() const = 0;
    /// Of the branch shown; null: it is not in it.
    virtual const history::Message* message(history::RowId id) const = 0;
    virtual bool canRemove(qint64 message) const = 0;

    virtual void newConversation() = 0;
    virtual void open(qint64 conversation) = 0;
    /// As open(), also where it is shown already.
    virtual void showAgain(history::RowId conversation) = 0;
    virtual void conversationRemoved(history::RowId conversation) = 0;
    virtual void conversationRenamed(history::RowId conversation, const QString& title) = 0;
    /// What is set for the conversation or its folder may be something else now.
    virtual void readProfile() = 0;

  signals:
    void conversationChanged();
    void readOnlyChanged();
    /// Titles, times or order of conversations changed.
    void listOutdated();
    /// Other documents stand in it.
    void documentsChanged();
};

}  // namespace ingle::desktop
