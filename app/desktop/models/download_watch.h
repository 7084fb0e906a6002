/// Notices model files that arrive in a folder. It may lie on a network that does not answer: a thread of its
/// own looks, at names and sizes only, and the first four bytes. GUI thread.
#pragma once

#include <QObject>
#include <QString>
#include <QThread>

#include <chrono>

namespace ingle::desktop {

class DownloadFolder;

class DownloadWatch : public QObject {
    Q_OBJECT
  public:
    /// A file counts as settled when it has kept its size for `settling`. What lies in the folder already is
    /// not news, unless it grows. A folder that is missing is waited for.
    DownloadWatch(QString folder, std::chrono::milliseconds settling, QObject* parent = nullptr);
    ~DownloadWatch() override;

    /// `path` is whole; until this is said it is told again when it has grown or another file came.
    void setWhole(const QString& path);

  signals:
    /// A GGUF file that is new here and has stopped growing.
    void settled(const QString& path);

  private:
    QThread* m_thread;         ///< outlives this where the folder hangs
    DownloadFolder* m_folder;  ///< lives there
};

}  // namespace ingle::desktop
