/// One window per data directory: a second start raises the first and ends.
#pragma once

#include <QLocalServer>
#include <QLockFile>
#include <QObject>
#include <QString>

namespace ingle::desktop {

class SingleInstance : public QObject {
    Q_OBJECT
  public:
    /// `dataDir` must exist.
    explicit SingleInstance(const QString& dataDir);

    /// False when another window has this directory; it was asked to come to the front.
    bool claim();

  signals:
    void raiseRequested();

  private:
    QString m_socketName;
    QLockFile m_lock;
    QLocalServer m_server;
};

}  // namespace ingle::desktop
