/// The files of a front end, off the thread that paints: the history, its reader, the model library and all
/// other files, each with a thread of its own, so that a search waits for no answer and an answer for no
/// network file. No Qt.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/history/store/copies.h"
#include "app/history/store/history.h"
#include "app/library/library.h"
#include "app/storage/lane.h"
#include "ingle/result.h"

namespace ingle::storage {

/// What happened to the files without anybody having asked.
struct Notice {
    enum class Kind {
        FileRescued,      ///< somebody deleted the history's file; it was written anew
        FileKeptBeside,   ///< somebody put another file in its place; ours is `path` now
        FileNotRescued,   ///< neither could be done yet; it is tried again
        FileOverwritten,  ///< somebody wrote another file into it, and ours is lost; the other one is open
                          ///< now
        ShreddingWaits,   ///< what was deleted for good is still in some file; it is tried again
        NoBackup,         ///< today's could not be made; it is tried again
        NotFlushed,       ///< what was written lately would not outlive a power cut; it is tried again
    };
    Kind kind = Kind::FileRescued;
    std::string path;
    std::string error;  ///< why; of FileNotRescued, ShreddingWaits, NoBackup and NotFlushed
};

/// Names a request that may be cancelled.
using RequestId = uint64_t;

class Storage {
  public:
    using Noticed = std::function<void(const Notice&)>;

    /// How long what was deleted can be brought back.
    static constexpr std::chrono::hours kTrashTime{24 * 30};
    /// How long one piece of housekeeping keeps a write waiting, about.
    static constexpr std::chrono::milliseconds kSlice{5};
    /// Longer than a file on a disk that answers takes, and not so long that people kill a window that they
    /// closed.
    static constexpr std::chrono::milliseconds kEndPatience{1000};

    /// How long the start is over before a backup is made, and how old the newest one is then.
    static constexpr std::chrono::milliseconds kBackupAfter{60'000};
    static constexpr std::chrono::hours kBackupEvery{24};

    /// Opens history and library in `folder`: each by itself, so that a damaged history does not keep the
    /// models away. `noticed` is called by a thread of this, while this lives. `backupAfter`: for tests.
    explicit Storage(std::string folder, Noticed noticed = {},
                     std::chrono::milliseconds backupAfter = kBackupAfter);
    /// Of private chats: a history in memory and no file at all, the library's neither.
    struct InMemory {};
    explicit Storage(InMemory);
    /// Finishes the work that was queued; but what hangs on a model file or on any other file than the
    /// history is left behind after kEndPatience.
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    bool isInMemory() const { return m_folder.empty(); }

    /// Runs `work`, which takes a HistoryReader&, a History&, a Library& or, for any other file, nothing, and
    /// returns a Result, on the thread of that file, and then `then(result)` there. Work on one file runs in
    /// the order of the calls; what takes a HistoryReader& sees what a History& has written once the `then`
    /// of that was called. When its file could not be opened, `then` gets that error. Any thread.
    template <typename Work, typename Then>
    RequestId run(Work work, Then then) {
        if constexpr (std::is_invocable_v<Work&, history::HistoryReader&>) {
            return read(job<history::HistoryReader>(std::move(work), std::move(then)));
        } else if constexpr (std::is_invocable_v<Work&, history::History&>) {
            m_journal.post([this, job = job<history::History>(std::move(work), std::move(then))] {
                job(m_history ? Result<history::History*>(m_history->get())
                              : tl::unexpected<Error>(m_history.error()));
            });
            return 0;
        } else if constexpr (std::is_invocable_v<Work&>) {
            m_others.post([work = std::move(work), then = std::move(then)]() mutable { then(work()); });
            return 0;
        } else {
            m_models.post(
                [library = m_library, job = job<library::Library>(std::move(work), std::move(then))] {
                    job(*library ? Result<library::Library*>(&**library)
                                 : tl::unexpected<Error>(library->error()));
                });
            return 0;
        }
    }
    /// As run() for what takes a HistoryReader&; it sees what any History& was asked to write before this
    /// call.
    template <typename Work, typename Then>
    void readBehindWrites(Work work, Then then) {
        m_journal.post(
            [this, job = job<history::HistoryReader>(std::move(work), std::move(then))] { read(job); });
    }
    /// Of a request that reads the history: it ends with ErrorCode::Cancelled, also in the middle. Others
    /// are not cancelled. Any thread.
    void cancel(RequestId request);

    /// Renames the history file, keeping all of it, and opens a new one; then(its path now) as for run().
    void setHistoryAside(std::function<void(const Result<std::string>&)> then);
    /// Makes a backup and reads it through, while others go on; then as for run().
    void backUp(std::function<void(const Result<history::Backup>&)> then);
    /// Puts a backup in the place of the history, which stays beside it: then(its path now) as for run().
    /// Answers must not be written meanwhile.
    void restore(const std::string& backup, std::function<void(const Result<std::string>&)> then);
    /// Those of the history, newest first, as for run().
    void listBackups(std::function<void(const Result<std::vector<history::Backup>>&)> then);
    /// Runs `work` where backups are made, behind them; then as for run().
    template <typename Work, typename Then>
    void runBehindBackups(Work work, Then then) {
        m_backups.post([work = std::move(work), then = std::move(then)]() mutable { then(work()); });
    }

  private:
    template <typename Store>
    using Job = std::function<void(Result<Store*>)>;

    template <typename Store, typename Work, typename Then>
    static Job<Store> job(Work work, Then then) {
        return [work = std::move(work), then = std::move(then)](Result<Store*> store) mutable {
            using Answer = std::invoke_result_t<Work&, Store&>;
            then(store ? work(**store) : Answer(tl::unexpected<Error>(store.error())));
        };
    }
    RequestId read(Job<history::HistoryReader> job);

    void open();

    // On the journal's thread.
    Result<std::string> openHistory();  ///< its path
    Result<std::string> replaceHistory();
    Result<std::string> putInPlace(const std::string& copy);
    void backUpIfOld();
    std::string historyPath() const { return m_folder + "/history.sqlite"; }
    void openOverwritten();
    std::chrono::milliseconds tend();
    enum class Look { Regular, Last /* before it is closed */ };
    void lookAfterFile(Look look);
    void shred();
    /// `path`: of another file than the history's own.
    void notify(Notice::Kind kind, const std::string& error = {}, const std::string& path = {});
    /// Waits until the reader has closed its file.
    void closeReader();

    /// On the reader's thread, which opens its connection anew.
    void openReader(const Result<std::string>& path);

    using Clock = std::chrono::steady_clock;

    const std::string m_folder;  ///< empty: nothing is in a file
    const Noticed m_noticed;

    // Each is touched by one thread only.
    Result<std::unique_ptr<history::History>> m_history;
    Result<std::unique_ptr<history::HistoryReader>> m_reader;
    const std::shared_ptr<Result<library::Library>> m_library;  ///< also what is left behind uses it

    // The journal's.
    bool m_isFlushed = true;           ///< as far as the last try tells
    Clock::time_point m_nextLook{};    ///< after the file
    Clock::time_point m_nextExpiry{};  ///< of the trash
    Clock::time_point m_nextShred{};
    Clock::time_point m_nextBackup{};
    int m_backingUp = 0;  ///< copies that are being made
    bool m_saidNoBackup = false;
    bool m_saidNotRescued = false;
    bool m_saidWaits = false;

    std::mutex m_requestMutex;  ///< guards what follows
    RequestId m_lastRequest = 0;
    RequestId m_running = 0;          ///< by the reader
    std::vector<RequestId> m_queued;  ///< for the reader, and not cancelled

    // Last: their threads end first. The journal's ends behind all that hand work back to it.
    Lane m_journal;
    Lane m_readers;
    Lane m_models;
    Lane m_others;
    Lane m_backups;
};

}  // namespace ingle::storage
