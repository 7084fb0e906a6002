#include "app/desktop/storage_thread.h"

namespace ingle::desktop {

StorageThread::StorageThread(std::string dataDir) {
    m_worker.moveToThread(&m_thread);
    m_thread.setObjectName("storage");
    m_thread.start();
    const auto openFiles = [this, dataDir = std::move(dataDir)] {
        if (auto opened = open(dataDir)) {
            m_stores = std::move(*opened);
        } else {
            m_openError = opened.error();
        }
    };
    QMetaObject::invokeMethod(&m_worker, openFiles, Qt::QueuedConnection);
}

StorageThread::~StorageThread() {
    // Queued behind all other work; the files are closed by the thread that used them.
    QMetaObject::invokeMethod(
        &m_worker,
        [this] {
            m_stores.reset();
            m_thread.quit();
        },
        Qt::QueuedConnection);
    m_thread.wait();
}

Result<StorageThread::Stores> StorageThread::open(const std::string& dataDir) {
    INGLE_TRY_ASSIGN(auto history, history::History::open(dataDir + "/history.sqlite"));
    INGLE_TRY_ASSIGN(auto library, library::Library::open(dataDir));
    return Stores{std::move(history), std::move(library)};
}

}  // namespace ingle::desktop
