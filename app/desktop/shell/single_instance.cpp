#include "app/desktop/shell/single_instance.h"

#include <fcntl.h>
#include <sys/file.h>

#include <QCryptographicHash>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QThread>
#include <QTimer>
#include <cerrno>

namespace ingle::desktop {
namespace {

constexpr int kAnswerMs = 5000;  // the other window may be just starting
constexpr int kRetryMs = 50;
constexpr int kCallMs = 5000;  // whoever calls and says nothing is hung up on
constexpr int kMaxWaitingCallers = 8;
constexpr qsizetype kMaxTokenLength = 256;  // compositors make some 40 characters

/// A path in the data directory may be longer than a socket name can be, so the name is a hash of it.
QString socketName(const QString& dataDir) {
    const QByteArray name = QDir(dataDir).canonicalPath().toUtf8();
    const QByteArray hash = QCryptographicHash::hash(name, QCryptographicHash::Sha256).toHex();
    return socketFolder() + "/window" + '/' + hash.left(16);
}

}  // namespace

QString socketFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation) + "/inglenook";
}

QByteArray encode(const StartRequest& request) {
    QJsonArray files;
    // For everything but the files; JSON writes a character in six bytes at most.
    qsizetype room = kMaxStartRequestBytes - 256 - 6 * kMaxTokenLength;
    for (const QUrl& file : request.files) {
        const QString address = QString::fromLatin1(file.toEncoded());
        // Whatever JSON escapes in an encoded address: quotes and backslashes are not among it.
        room -= address.size() + 3;
        if (room < 0) break;
        files.append(address);
    }
    const QJsonObject object{{"files", files},
                             {"newChat", request.newChat},
                             {"activationToken", request.activationToken.left(kMaxTokenLength)}};
    return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

std::optional<StartRequest> decode(const QByteArray& line) {
    if (line.size() > kMaxStartRequestBytes || !line.endsWith('\n')) return std::nullopt;
    const QJsonDocument document = QJsonDocument::fromJson(line);
    if (!document.isObject() || !document["files"].isArray() || !document["newChat"].isBool())
        return std::nullopt;
    StartRequest request;
    request.newChat = document["newChat"].toBool();
    request.activationToken = document["activationToken"].toString().left(kMaxTokenLength);
    for (const QJsonValue& file : document["files"].toArray()) {
        const QUrl url = QUrl::fromEncoded(file.toString().toLatin1(), QUrl::StrictMode);
        if (!url.isValid()) return std::nullopt;
        request.files.append(url);
    }
    return request;
}

SingleInstance::SingleInstance(const QString& dataDir)
    : m_dataDir(dataDir), m_socketName(socketName(dataDir)) {
    m_server.setMaxPendingConnections(kMaxWaitingCallers);
    connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::accept);
}

Result<SingleInstance::Claim> SingleInstance::claim(const StartRequest& request) {
    INGLE_TRY_ASSIGN(const bool isOurs, takeLock());
    if (!isOurs) {
        INGLE_TRY(handOver(request));
        return Claim::HandedOver;
    }
    // In a folder that is this user's alone, like all that is made here: rights cannot be changed any more.
    QDir().mkpath(QFileInfo(m_socketName).path());
    QLocalServer::removeServer(m_socketName);
    // Without the server a second start cannot reach this window, and says so.
    m_server.listen(m_socketName);
    return Claim::Ours;
}

Result<bool> SingleInstance::takeLock() {
    // Nothing is written into it: a start on a full disk finds the file that the last one left.
    const QByteArray path = QFile::encodeName(m_dataDir + "/window.lock");
    m_lock = FileDescriptor(::open(path.constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!m_lock.isOpen() && QFile::exists(m_dataDir + "/history.sqlite")) {
        // What can only be read can be read; where there was no lock, two windows do no harm.
        m_lock = FileDescriptor(::open(path.constData(), O_RDONLY | O_CLOEXEC));
        if (!m_lock.isOpen()) return true;
    }
    if (m_lock.isOpen() && ::flock(m_lock.get(), LOCK_EX | LOCK_NB) == 0) return true;
    if (m_lock.isOpen() && errno == EWOULDBLOCK) return false;
    return fail(ErrorCode::Io, "{} cannot be written", m_dataDir.toStdString());
}

Status SingleInstance::handOver(const StartRequest& request) {
    const QDeadlineTimer deadline(kAnswerMs);
    while (!deadline.hasExpired()) {
        QLocalSocket first;
        first.connectToServer(m_socketName);
        if (first.waitForConnected(kRetryMs)) {
            first.write(encode(request));
            first.flush();
            // It hangs up when it has read it.
            if (first.state() == QLocalSocket::UnconnectedState ||
                first.waitForDisconnected(static_cast<int>(deadline.remainingTime())))
                return {};
        }
        QThread::msleep(kRetryMs);
    }
    return fail(ErrorCode::Cancelled, "the window that is open does not answer");
}

void SingleInstance::accept() {
    while (QLocalSocket* caller = m_server.nextPendingConnection()) {
        caller->setReadBufferSize(kMaxStartRequestBytes + 1);
        connect(caller, &QLocalSocket::readyRead, this, [this, caller] { hear(*caller); });
        connect(caller, &QLocalSocket::disconnected, caller, &QObject::deleteLater);
        QTimer::singleShot(kCallMs, caller, &QObject::deleteLater);
        hear(*caller);
    }
}

void SingleInstance::hear(QLocalSocket& caller) {
    if (!caller.canReadLine()) {
        if (caller.bytesAvailable() > kMaxStartRequestBytes) caller.deleteLater();
        return;
    }
    const std::optional<StartRequest> request = decode(caller.readLine(kMaxStartRequestBytes + 1));
    caller.deleteLater();
    caller.disconnect(this);  // one request each
    if (request) emit requested(*request);
}

}  // namespace ingle::desktop
