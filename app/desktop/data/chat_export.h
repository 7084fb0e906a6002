/// Chats on their way into a file of the person's choice. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>
#include <QUrl>
#include <QVariantList>

#include <memory>

#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"
#include "app/exchange/export_chats.h"
#include "app/storage/lane.h"

namespace ingle::desktop {

class ChatExport : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// Of each "extension", "name" and "words": what it is good for.
    Q_PROPERTY(QVariantList forms READ forms CONSTANT)
    Q_PROPERTY(bool writing READ writing NOTIFY changed)
    /// How far it is.
    Q_PROPERTY(QString sentence READ sentence NOTIFY changed)
  public:
    ChatExport(StorageThread& storage, Notices& notices, QObject* parent = nullptr);
    ~ChatExport() override;

    QVariantList forms() const;
    bool writing() const { return m_job != nullptr; }
    QString sentence() const;

    /// `conversation`: 0 for several; `folder`: with all below it, 0 for everything. There is no such file
    /// until all of it is in it. A file of that name stays as it is unless it is to be replaced.
    Q_INVOKABLE void write(qint64 conversation, qint64 folder, const QString& extension, const QUrl& target,
                           bool replace);
    Q_INVOKABLE void cancel();

  signals:
    void changed();
    /// It is written.
    void done();

  private:
    struct Job;

    void onWritten(const QString& path, const Result<uint64_t>& written);

    StorageThread& m_storage;
    Notices& m_notices;
    std::shared_ptr<Job> m_job;  ///< null: nothing is being written
    QTimer m_ticks;
    storage::Lane m_lane;
};

}  // namespace ingle::desktop
