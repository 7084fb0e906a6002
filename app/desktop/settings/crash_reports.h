/// Reports of crashes that nobody has been shown: they stay on this computer unless the person saves and
/// sends one. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>

#include <string>

#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"

namespace ingle::desktop {

class CrashReports : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// The newest report; empty: none.
    Q_PROPERTY(QString text READ text NOTIFY changed)
  public:
    /// `folder`: where the programs keep them.
    CrashReports(std::string folder, StorageThread& storage, Notices& notices, QObject* parent = nullptr);

    QString text() const { return m_text; }

    /// Says so when there is a report nobody has been shown.
    void look();

  signals:
    void changed();
    void shown();

  private:
    void offer(const QString& report);

    std::string m_folder;
    StorageThread& m_storage;
    Notices& m_notices;
    QString m_text;
};

}  // namespace ingle::desktop
