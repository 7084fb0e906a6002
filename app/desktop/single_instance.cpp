#include "app/desktop/single_instance.h"

#include <QCryptographicHash>
#include <QLocalSocket>
#include <QStandardPaths>

namespace ingle::desktop {
namespace {

constexpr int kConnectMs = 1000;

/// A path in the data directory may be longer than a socket name can be, so the name is a hash of it.
QString socketName(const QString& dataDir) {
    const QByteArray hash = QCryptographicHash::hash(dataDir.toUtf8(), QCryptographicHash::Sha256).toHex();
    return QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation) + "/inglenook-" + hash.left(16);
}

}  // namespace

SingleInstance::SingleInstance(const QString& dataDir)
    : m_socketName(socketName(dataDir)), m_lock(dataDir + "/window.lock") {
    // A lock is stale when its process is gone, never because of its age.
    m_lock.setStaleLockTime(0);
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, [this] {
        while (QLocalSocket* caller = m_server.nextPendingConnection()) caller->deleteLater();
        emit raiseRequested();
    });
}

bool SingleInstance::claim() {
    if (!m_lock.tryLock()) {
        QLocalSocket first;
        first.connectToServer(m_socketName);
        first.waitForConnected(kConnectMs);
        return false;
    }
    QLocalServer::removeServer(m_socketName);
    // Without the server a second start still ends, it only cannot raise this window.
    m_server.listen(m_socketName);
    return true;
}

}  // namespace ingle::desktop
