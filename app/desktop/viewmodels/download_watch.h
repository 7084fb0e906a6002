/// Notices model files that arrive in a folder. GUI thread; reads names and sizes only, and the first four
/// bytes.
#pragma once

#include <QFileSystemWatcher>
#include <QMap>
#include <QObject>
#include <QString>
#include <QTimer>

#include <chrono>

namespace ingle::desktop {

class DownloadWatch : public QObject {
    Q_OBJECT
  public:
    /// A file counts as settled when it has kept its size for `settling`. What lies in the folder already is
    /// not news, unless it grows. A folder that is missing is waited for.
    DownloadWatch(QString folder, std::chrono::milliseconds settling, QObject* parent = nullptr);

    /// Whether `path` was whole after all: if not, it is told again when it has grown or another file came.
    void judged(const QString& path, bool isWhole);

  signals:
    /// A GGUF file that is new here and has stopped growing.
    void settled(const QString& path);

  private:
    struct File {
        qint64 bytes = -1;
        bool told = false;  ///< at this size
        int quietLooks = 0;
    };

    void look();
    void watchFolder();
    QMap<QString, qint64> candidates() const;

    QString m_folder;
    QFileSystemWatcher m_watcher;
    QTimer m_timer;
    QMap<QString, File> m_arriving;
    QMap<QString, qint64> m_known;  ///< was there at first, or is whole
};

}  // namespace ingle::desktop
