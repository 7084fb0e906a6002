/// One window per data directory: a second start hands what it was asked for to the first and ends.
#pragma once

#include <QLocalServer>
#include <QLocalSocket>
#include <QObject>
#include <QString>
#include <QUrl>

#include <optional>

#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::desktop {

/// What the window is to do for a start, besides coming to the front.
struct StartRequest {
    QList<QUrl> files;
    bool newChat = false;
    /// What lets a window come to the front under Wayland ($XDG_ACTIVATION_TOKEN of the start); may be empty.
    QString activationToken;
};

/// One line of JSON, at most kMaxStartRequestBytes long: files that do not fit are left out, the last ones
/// first.
QByteArray encode(const StartRequest& request);
/// Nothing when it is not what encode() writes.
std::optional<StartRequest> decode(const QByteArray& line);
inline constexpr qsizetype kMaxStartRequestBytes = 64 * 1024;

/// Of Inglenook's sockets of this user; the window's are in its folder "window".
QString socketFolder();

class SingleInstance : public QObject {
    Q_OBJECT
  public:
    /// `dataDir` must exist.
    explicit SingleInstance(const QString& dataDir);

    enum class Claim {
        Ours,        ///< this is the only window
        HandedOver,  ///< another one has this directory and was given `request`
    };
    /// Errors: Io when the directory cannot be written; Cancelled when the other window does not answer.
    Result<Claim> claim(const StartRequest& request);

  signals:
    /// Another start ended in favour of this window.
    void requested(const ingle::desktop::StartRequest& request);

  private:
    /// False: another process has it. Errors: Io.
    Result<bool> takeLock();
    Status handOver(const StartRequest& request);
    void accept();
    void hear(QLocalSocket& caller);

    QString m_dataDir;
    QString m_socketName;
    FileDescriptor m_lock;  ///< of window.lock; the kernel takes it back from a process that ends
    QLocalServer m_server;
};

}  // namespace ingle::desktop
