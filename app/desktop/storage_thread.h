/// The one thread that touches files of the window: the history and the model library. Made and used on the
/// GUI thread; values cross in both directions.
#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QPointer>
#include <QThread>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "app/history/history.h"
#include "app/library/library.h"
#include "ingle/result.h"

namespace ingle::desktop {

class StorageThread {
  public:
    struct Stores {
        std::unique_ptr<history::History> history;
        library::Library library;
    };

    /// Opens history and library in `dataDir` as the first piece of work.
    explicit StorageThread(std::string dataDir);
    /// Finishes the work that was queued before.
    ~StorageThread();

    /// Runs `work(Stores&)`, which returns a Result, on the storage thread and then `then(result)` on the GUI
    /// thread, if `context` still exists. Work runs in the order of the calls, and so do the answers. When
    /// the files could not be opened, every `then` gets that error.
    template <typename Work, typename Then>
    void run(QObject* context, Work work, Then then) {
        using Answer = std::invoke_result_t<Work, Stores&>;
        const auto job = [this, context = QPointer<QObject>(context), work = std::move(work),
                          then = std::move(then)]() mutable {
            Answer answer = m_stores ? work(*m_stores) : Answer(tl::unexpected<Error>(m_openError));
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [context, then = std::move(then), answer = std::move(answer)]() mutable {
                    if (context) then(std::move(answer));
                },
                Qt::QueuedConnection);
        };
        QMetaObject::invokeMethod(&m_worker, job, Qt::QueuedConnection);
    }

  private:
    static Result<Stores> open(const std::string& dataDir);

    QThread m_thread;
    QObject m_worker;
    // Touched only by the storage thread.
    std::optional<Stores> m_stores;
    Error m_openError{ErrorCode::Io, {}};
};

}  // namespace ingle::desktop
