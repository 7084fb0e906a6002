/// The one thread that touches files of the window: the history and the model library. Made and used on the
/// GUI thread; values cross in both directions.
#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QPointer>
#include <QThread>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "app/history/history.h"
#include "app/library/library.h"
#include "ingle/result.h"

namespace ingle::desktop {

class StorageThread {
  public:
    /// Opens history and library in `dataDir` as the first piece of work: each by itself, so that a damaged
    /// history does not keep the models away.
    explicit StorageThread(std::string dataDir);
    /// Finishes the work that was queued before.
    ~StorageThread();

    /// Runs `work`, which takes a History& or a Library& and returns a Result, on the storage thread and then
    /// `then(result)` on the GUI thread, if `context` still exists. Work runs in the order of the calls, and
    /// so do the answers. When its file could not be opened, `then` gets that error.
    template <typename Work, typename Then>
    void run(QObject* context, Work work, Then then) {
        constexpr bool kWithHistory = std::is_invocable_v<Work&, history::History&>;
        using Store = std::conditional_t<kWithHistory, history::History, library::Library>;
        using Answer = std::invoke_result_t<Work&, Store&>;
        const auto job = [this, work = std::move(work)]() mutable -> Answer {
            if constexpr (kWithHistory) {
                return m_history ? work(**m_history) : Answer(tl::unexpected<Error>(m_history.error()));
            } else {
                return m_library ? work(*m_library) : Answer(tl::unexpected<Error>(m_library.error()));
            }
        };
        post(context, job, std::move(then));
    }

    /// Renames the history file, keeping all of it, and opens a new one; then(Status) as for run().
    template <typename Then>
    void setHistoryAside(QObject* context, Then then) {
        post(
            context, [this] { return replaceHistory(); }, std::move(then));
    }

  private:
    template <typename Job, typename Then>
    void post(QObject* context, Job job, Then then) {
        const auto onStorageThread = [context = QPointer<QObject>(context), job = std::move(job),
                                      then = std::move(then)]() mutable {
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [context, then = std::move(then), answer = job()]() mutable {
                    if (context) then(std::move(answer));
                },
                Qt::QueuedConnection);
        };
        QMetaObject::invokeMethod(&m_worker, onStorageThread, Qt::QueuedConnection);
    }
    void openHistory();
    Status replaceHistory();

    std::string m_dataDir;
    QThread m_thread;
    QObject m_worker;
    // Touched only by the storage thread.
    Result<std::unique_ptr<history::History>> m_history;
    Result<library::Library> m_library;
};

}  // namespace ingle::desktop
