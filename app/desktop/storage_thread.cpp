#include "app/desktop/storage_thread.h"

#include <QDateTime>

#include <filesystem>

namespace ingle::desktop {
namespace {

const tl::unexpected<Error> kClosed(Error{ErrorCode::Io, "The history is not open."});

}  // namespace

StorageThread::StorageThread(std::string dataDir)
    : m_dataDir(std::move(dataDir)), m_history(kClosed), m_library(kClosed) {
    m_worker.moveToThread(&m_thread);
    m_thread.setObjectName("storage");
    m_thread.start();
    const auto openFiles = [this] {
        openHistory();
        m_library = library::Library::open(m_dataDir);
    };
    QMetaObject::invokeMethod(&m_worker, openFiles, Qt::QueuedConnection);
}

StorageThread::~StorageThread() {
    // Queued behind all other work; the files are closed by the thread that used them.
    QMetaObject::invokeMethod(
        &m_worker,
        [this] {
            m_history = kClosed;
            m_library = kClosed;
            m_thread.quit();
        },
        Qt::QueuedConnection);
    m_thread.wait();
}

void StorageThread::openHistory() {
    m_history = history::History::open(m_dataDir + "/history.sqlite");
}

Status StorageThread::replaceHistory() {
    namespace fs = std::filesystem;
    m_history = kClosed;
    const std::string path = m_dataDir + "/history.sqlite";
    const std::string aside =
        path + ".damaged-" + QDateTime::currentDateTime().toString("yyyyMMdd-HHmmss").toStdString();
    for (const char* suffix : {"-wal", "-shm", ""}) {
        std::error_code error;
        fs::rename(path + suffix, aside + suffix, error);
        if (error && error != std::errc::no_such_file_or_directory) {
            return fail(ErrorCode::Io, "Cannot rename {}{} to {}{}: {}.", path, suffix, aside, suffix,
                        error.message());
        }
    }
    openHistory();
    if (!m_history) return tl::unexpected<Error>(m_history.error());
    return {};
}

}  // namespace ingle::desktop
