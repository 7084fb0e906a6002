#include "app/desktop/models/download_watch.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QMap>
#include <QTimer>

#include <chrono>
#include <iterator>
#include <utility>

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

/// A minute or two: longer than a download stalls that goes on.
constexpr int kMaxQuietLooks = 80;

/// Firefox and Chromium write beside the final name, or to a file of another one, until all has come.
bool isBeingWritten(const QString& path) {
    for (const char* suffix : {".part", ".crdownload", ".download", ".tmp"})
        if (QFileInfo::exists(path + suffix)) return true;
    return false;
}

bool isGguf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.read(4) == "GGUF";
}

}  // namespace

/// What looks. Made anywhere, used by the thread it was moved to.
class DownloadFolder : public QObject {
    Q_OBJECT
  public:
    DownloadFolder(QString path, std::chrono::milliseconds settling)
        : m_path(std::move(path)), m_settling(settling) {}

    void begin();
    void setWhole(const QString& path);

  signals:
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

    QString m_path;
    std::chrono::milliseconds m_settling;
    QFileSystemWatcher* m_watcher = nullptr;
    QTimer* m_timer = nullptr;
    QMap<QString, File> m_arriving;
    QMap<QString, qint64> m_known;  ///< was there at first, or is whole
};

DownloadWatch::DownloadWatch(QString folder, std::chrono::milliseconds settling, QObject* parent)
    : QObject(parent), m_thread(new QThread), m_folder(new DownloadFolder(std::move(folder), settling)) {
    m_thread->setObjectName("downloads");
    m_folder->moveToThread(m_thread);
    connect(m_thread, &QThread::started, m_folder, &DownloadFolder::begin);
    connect(m_thread, &QThread::finished, m_folder, &QObject::deleteLater);
    connect(m_folder, &DownloadFolder::settled, this, &DownloadWatch::settled);
    m_thread->start();
}

DownloadWatch::~DownloadWatch() {
    m_thread->quit();
    // One that hangs ends with the process.
    if (m_thread->wait(QDeadlineTimer(1s))) delete m_thread;
}

void DownloadWatch::setWhole(const QString& path) {
    QMetaObject::invokeMethod(m_folder, [folder = m_folder, path] { folder->setWhole(path); });
}

void DownloadFolder::begin() {
    if (m_path.isEmpty()) return;
    m_watcher = new QFileSystemWatcher(this);
    m_timer = new QTimer(this);
    m_known = candidates();
    m_timer->setInterval(m_settling);
    connect(m_timer, &QTimer::timeout, this, &DownloadFolder::look);
    connect(m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] {
        // Another part of a model may have come.
        for (File& file : m_arriving) file = {file.bytes, false, 0};
        watchFolder();
        look();
    });
    watchFolder();
    m_timer->start();  // once at least: what lies there may be growing
}

void DownloadFolder::watchFolder() {
    // A browser makes the folder with the first download.
    const QString parent = QFileInfo(m_path).path();
    if (QFileInfo(m_path).isDir()) {
        if (!m_watcher->directories().contains(m_path)) m_watcher->addPath(m_path);
        m_watcher->removePath(parent);
    } else if (!m_watcher->directories().contains(parent)) {
        m_watcher->addPath(parent);
    }
}

QMap<QString, qint64> DownloadFolder::candidates() const {
    QMap<QString, qint64> found;
    for (const QFileInfo& file : QDir(m_path).entryInfoList({"*.gguf"}, QDir::Files | QDir::Readable))
        found.insert(file.absoluteFilePath(), file.size());
    return found;
}

void DownloadFolder::look() {
    const QMap<QString, qint64> present = candidates();
    for (auto known = m_known.begin(); known != m_known.end();)
        known = present.value(known.key(), -1) == known.value() ? std::next(known) : m_known.erase(known);
    for (auto file = m_arriving.begin(); file != m_arriving.end();)
        file = present.contains(file.key()) ? std::next(file) : m_arriving.erase(file);
    bool waiting = false;
    for (auto file = present.begin(); file != present.end(); ++file) {
        if (m_known.contains(file.key())) continue;
        File& seen = m_arriving[file.key()];
        const bool grew = std::exchange(seen.bytes, file.value()) != file.value();
        if (grew) seen = {file.value(), false, 0};
        // What has not grown for long is no download: the next change of the folder brings it back.
        if (++seen.quietLooks < kMaxQuietLooks) waiting = true;
        if (seen.told) continue;
        if (!grew && file.value() > 0 && !isBeingWritten(file.key()) && isGguf(file.key())) {
            seen.told = true;
            emit settled(file.key());
        }
    }
    if (!waiting)
        m_timer->stop();
    else if (!m_timer->isActive())
        m_timer->start();
}

void DownloadFolder::setWhole(const QString& path) {
    const auto file = m_arriving.constFind(path);
    if (file == m_arriving.constEnd()) return;
    m_known.insert(path, file->bytes);
    m_arriving.erase(file);
}

}  // namespace ingle::desktop

#include "download_watch.moc"
