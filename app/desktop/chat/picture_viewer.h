/// One of several pictures, seen as a whole. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>
#include <QUrl>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/pictures.h"
#include "app/desktop/services/storage_thread.h"
#include "app/desktop/services/text_saver.h"

namespace ingle::desktop {

class PictureViewer : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by a chat")
    Q_PROPERTY(ingle::desktop::Pictures* pictures READ pictures CONSTANT)
    Q_PROPERTY(QString hash READ hash NOTIFY changed)
    /// What it shows.
    Q_PROPERTY(QString name READ name NOTIFY changed)
    Q_PROPERTY(QString title READ title NOTIFY changed)
    /// "2 of 5"; empty: it is the only one.
    Q_PROPERTY(QString place READ place NOTIFY changed)
    /// It is of the draft, and what it shows may still be said.
    Q_PROPERTY(bool editable READ editable NOTIFY changed)
    /// For a file of it.
    Q_PROPERTY(QString fileName READ fileName NOTIFY changed)
  public:
    PictureViewer(StorageThread& storage, ChatController& chat, TextSaver& saver, Notices& notices,
                  QObject* parent = nullptr);

    Pictures* pictures() { return m_chat.pictures(); }
    QString hash() const { return m_hashes.value(m_index); }
    QString name() const { return m_names.value(m_index); }
    QString title() const;
    QString place() const;
    bool editable() const { return m_ofDraft; }
    QString fileName() const { return m_fileName; }

    /// opened() follows.
    Q_INVOKABLE void open(const QStringList& hashes, const QStringList& names, int index);
    /// The same of those that are attached to the draft.
    Q_INVOKABLE void openAttached(int index);
    Q_INVOKABLE void step(int by);
    Q_INVOKABLE void describe(const QString& name);
    /// Writes the file as it came. One of that name stays as it is unless it is to be replaced.
    Q_INVOKABLE void save(const QUrl& file, bool replace);

  signals:
    void opened();
    void changed();

  private:
    void show(QStringList hashes, QStringList names, qsizetype index);
    /// Finds out what a file of it is called.
    void lookForName();

    StorageThread& m_storage;
    ChatController& m_chat;
    TextSaver& m_saver;
    Notices& m_notices;
    QStringList m_hashes, m_names;
    qsizetype m_index = 0;
    bool m_ofDraft = false;
    QString m_fileName;
};

}  // namespace ingle::desktop
