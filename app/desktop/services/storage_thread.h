/// The window's use of app/storage: work is values in, values out, and what follows happens on the GUI
/// thread.
#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QPointer>

#include <functional>
#include <string>
#include <utility>

#include "app/storage/storage.h"

namespace ingle::desktop {

class StorageThread {
  public:
    explicit StorageThread(std::string dataDir)
        : m_storage(std::move(dataDir), [this](const storage::Notice& notice) {
              onGuiThread(&m_receiver, [this, notice] {
                  if (m_noticed) m_noticed(notice);
              });
          }) {}

    explicit StorageThread(storage::Storage::InMemory memory) : m_storage(memory) {}

    /// As storage::Storage::run, but `then(result)` is called on the GUI thread, if `context` still exists.
    template <typename Work, typename Then>
    storage::RequestId run(QObject* context, Work work, Then then) {
        return m_storage.run(std::move(work), handOver(context, std::move(then)));
    }
    /// As storage::Storage::readBehindWrites, with `then` as for run().
    template <typename Work, typename Then>
    void readBehindWrites(QObject* context, Work work, Then then) {
        m_storage.readBehindWrites(std::move(work), handOver(context, std::move(then)));
    }
    void cancel(storage::RequestId request) { m_storage.cancel(request); }
    /// Nothing of it reaches the disk.
    bool isInMemory() const { return m_storage.isInMemory(); }

    /// Renames the history file, keeping all of it, and opens a new one; then(Status) as for run().
    template <typename Then>
    void setHistoryAside(QObject* context, Then then) {
        m_storage.setHistoryAside(handOver(context, std::move(then)));
    }

    // As those of storage::Storage, with `then` as for run().
    template <typename Then>
    void backUp(QObject* context, Then then) {
        m_storage.backUp(handOver(context, std::move(then)));
    }
    template <typename Then>
    void restore(QObject* context, const std::string& backup, Then then) {
        m_storage.restore(backup, handOver(context, std::move(then)));
    }
    template <typename Then>
    void listBackups(QObject* context, Then then) {
        m_storage.listBackups(handOver(context, std::move(then)));
    }
    template <typename Work, typename Then>
    void runBehindBackups(QObject* context, Work work, Then then) {
        m_storage.runBehindBackups(std::move(work), handOver(context, std::move(then)));
    }
    /// From any thread: as Storage::run of what writes; `then` is called on the journal's.
    template <typename Then>
    void write(std::function<Status(history::History&)> work, Then then) {
        m_storage.run(std::move(work), std::move(then));
    }

    /// Who is told, on the GUI thread, what happened to the files.
    void onNotice(std::function<void(const storage::Notice&)> noticed) { m_noticed = std::move(noticed); }

  private:
    template <typename Call>
    static void onGuiThread(QObject* context, Call call) {
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [context = QPointer<QObject>(context), call = std::move(call)]() mutable {
                if (context) call();
            },
            Qt::QueuedConnection);
    }
    template <typename Then>
    static auto handOver(QObject* context, Then then) {
        return [context = QPointer<QObject>(context), then = std::move(then)](auto answer) mutable {
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [context, then = std::move(then), answer = std::move(answer)]() mutable {
                    if (context) then(std::move(answer));
                },
                Qt::QueuedConnection);
        };
    }

    std::function<void(const storage::Notice&)> m_noticed;
    QObject m_receiver;
    storage::Storage m_storage;  // last: its threads use the others
};

}  // namespace ingle::desktop
