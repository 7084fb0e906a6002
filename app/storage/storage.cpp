#include "app/storage/storage.h"

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "app/history/opening.h"
#include "app/history/trash/shredding.h"
#include "app/history/trash/trash.h"

namespace ingle::storage {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 500ms;    // after the file
constexpr auto kExpiryEvery = 1h;     // of the trash
constexpr auto kBackupLook = 1h;      // whether the newest one is old
constexpr auto kBetweenSlices = 5ms;  // of shredding: others want the disk, too
constexpr auto kTryAgain = 30s;       // what the disk refused

const tl::unexpected<Error> kClosed(Error{ErrorCode::Io, "The history is not open."});

/// Local time as YYYYMMDD-HHMMSS, for names of files.
std::string timeForNames() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
    return text;
}

int64_t unixMs() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

Storage::Storage(std::string folder, Noticed noticed, std::chrono::milliseconds backupAfter)
    : m_folder(std::move(folder)),
      m_noticed(std::move(noticed)),
      m_history(kClosed),
      m_reader(kClosed),
      m_library(std::make_shared<Result<library::Library>>(kClosed)),
      m_nextBackup(Clock::now() + backupAfter),
      m_journal("journal", [this] { return tend(); }),
      m_readers("history-reader"),
      m_models("library", kEndPatience),
      m_others("other-files", kEndPatience),
      m_backups("backups") {
    m_models.post([library = m_library, folder = m_folder] { *library = library::Library::open(folder); });
    open();
}

Storage::Storage(InMemory)
    : m_history(kClosed),
      m_reader(kClosed),
      m_library(std::make_shared<Result<library::Library>>(kClosed)),
      m_journal("journal", [this] { return tend(); }),
      m_readers("history-reader"),
      m_models("library", kEndPatience),
      m_others("other-files", kEndPatience),
      m_backups("backups") {
    open();
}

void Storage::open() {
    // Nothing is read before the file was made, or brought up to date.
    const auto opened = std::make_shared<std::promise<Result<std::string>>>();
    m_readers.post([this, opened] { openReader(opened->get_future().get()); });
    m_journal.post([this, opened] { opened->set_value(openHistory()); });
}

Storage::~Storage() {
    // Behind all other work; files are closed by the threads that used them.
    m_models.post([library = m_library] { *library = kClosed; });
    m_models.close();
    m_others.close();
    std::promise<void> closed;
    m_journal.post([this, &closed] {
        // What happened to the file since the last look: an open one is the only copy that there is.
        if (!isInMemory() && m_history && !(*m_history)->refusal()) lookAfterFile(Look::Last);
        // Whoever closes last writes the log into the file: a closed history is one file, to copy or to move.
        closeReader();
        m_history = kClosed;
        closed.set_value();
    });
    closed.get_future().wait();  // from here on the journal hands nothing to the others
}

Result<std::string> Storage::openHistory() {
    if (isInMemory()) {
        static std::atomic<int> number = 0;
        const std::string name = "private-" + std::to_string(++number);
        m_history = history::openHistoryInMemory(name);
        if (!m_history) return tl::unexpected<Error>(m_history.error());
        return name;
    }
    // When it cannot be looked into, opening says why.
    for (const std::string& other : history::takeUpRescued(m_folder).value_or(std::vector<std::string>{}))
        notify(Notice::Kind::FileKeptBeside, {}, other);
    m_history = history::openHistory(historyPath());
    if (!m_history) return tl::unexpected<Error>(m_history.error());
    return (*m_history)->path();
}

void Storage::openReader(const Result<std::string>& path) {
    const auto openAt = isInMemory() ? history::openReaderInMemory : history::openReader;
    auto reader = path ? openAt(*path) : tl::unexpected<Error>(path.error());
    const std::lock_guard lock(m_requestMutex);  // cancel() uses it
    m_reader = std::move(reader);
}

Result<std::string> Storage::replaceHistory() {
    namespace fs = std::filesystem;
    m_history = kClosed;
    const std::string path = historyPath();
    const std::string aside = path + ".damaged-" + timeForNames();
    for (const char* suffix : {"-wal", "-shm", ""}) {
        std::error_code error;
        fs::rename(path + suffix, aside + suffix, error);
        if (error && error != std::errc::no_such_file_or_directory) {
            return fail(ErrorCode::Io, "Cannot rename {}{} to {}{}: {}.", path, suffix, aside, suffix,
                        error.message());
        }
    }
    const Result<std::string> opened = openHistory();
    m_readers.post([this, opened] { openReader(opened); });
    if (!opened) return tl::unexpected<Error>(opened.error());
    return aside;
}

void Storage::closeReader() {
    std::promise<void> closed;
    m_readers.post([this, &closed] {
        openReader(kClosed);
        closed.set_value();
    });
    closed.get_future().wait();
}

void Storage::setHistoryAside(std::function<void(const Result<std::string>&)> then) {
    m_journal.post([this, then = std::move(then)] { then(replaceHistory()); });
}

void Storage::backUp(std::function<void(const Result<history::Backup>&)> then) {
    m_journal.post([this, then = std::move(then)] {
        if (!m_history) return then(tl::unexpected<Error>(m_history.error()));
        ++m_backingUp;
        m_backups.post([this, then, path = (*m_history)->path()] {
            m_journal.post([this, then, made = history::makeBackup(path)] {
                --m_backingUp;
                then(made);
            });
        });
    });
}

void Storage::backUpIfOld() {
    namespace fs = std::filesystem;
    const std::string path = (*m_history)->path();
    const auto backups = history::backupsBeside(path);
    if (!backups) return;
    if (!backups->empty()) {
        using namespace std::chrono;
        const int64_t madeMs = backups->front().madeMs;
        if (unixMs() - madeMs < duration_cast<milliseconds>(kBackupEvery).count()) return;
        // Of what holds something: an empty log is made whenever the history is opened.
        const auto changedMs = [](const std::string& file) -> int64_t {
            std::error_code error;
            if (fs::file_size(file, error) == 0 || error) return 0;
            const auto time = file_clock::to_sys(fs::last_write_time(file, error));
            return duration_cast<milliseconds>(time.time_since_epoch()).count();
        };
        if (std::max(changedMs(path), changedMs(path + "-wal")) <= madeMs) return;
    }
    backUp([this](const Result<history::Backup>& made) {
        if (made)
            m_saidNoBackup = false;
        else if (!std::exchange(m_saidNoBackup, true))
            notify(Notice::Kind::NoBackup, made.error().message);
    });
}

void Storage::listBackups(std::function<void(const Result<std::vector<history::Backup>>&)> then) {
    m_journal.post([this, then = std::move(then)] {
        then(history::backupsBeside(m_history ? (*m_history)->path() : historyPath()));
    });
}

Result<std::string> Storage::putInPlace(const std::string& copy) {
    closeReader();
    m_history = kClosed;
    const auto aside = history::putInPlace(historyPath(), copy);
    const Result<std::string> opened = openHistory();
    m_readers.post([this, opened] { openReader(opened); });
    if (!opened) return tl::unexpected<Error>(opened.error());
    return aside;
}

void Storage::restore(const std::string& backup, std::function<void(const Result<std::string>&)> then) {
    m_journal.post([this, backup, then = std::move(then)] {
        ++m_backingUp;
        m_backups.post([this, backup, then] {
            m_journal.post([this, then, copy = history::prepareRestore(historyPath(), backup)] {
                --m_backingUp;
                then(copy ? putInPlace(*copy) : copy);
            });
        });
    });
}

RequestId Storage::read(Job<history::HistoryReader> job) {
    RequestId id = 0;
    {
        const std::lock_guard lock(m_requestMutex);
        id = ++m_lastRequest;
        m_queued.push_back(id);
    }
    m_readers.post([this, id, job = std::move(job)] {
        bool cancelled = false;
        {
            const std::lock_guard lock(m_requestMutex);
            cancelled = std::erase(m_queued, id) == 0;
            if (!cancelled) m_running = id;
        }
        if (cancelled) {
            job(fail(ErrorCode::Cancelled, "Reading the history was cancelled."));
        } else {
            job(m_reader ? Result<history::HistoryReader*>(m_reader->get())
                         : tl::unexpected<Error>(m_reader.error()));
        }
        const std::lock_guard lock(m_requestMutex);
        m_running = 0;
    });
    return id;
}

void Storage::cancel(RequestId request) {
    const std::lock_guard lock(m_requestMutex);
    std::erase(m_queued, request);
    // Under the lock: it is still this request that runs when it is interrupted.
    if (request != 0 && request == m_running && m_reader) (*m_reader)->interrupt();
}

std::chrono::milliseconds Storage::tend() {
    if (isInMemory()) return kExpiryEvery;
    if (!m_history || (*m_history)->refusal()) return kLookEvery;
    const Clock::time_point now = Clock::now();
    // What cannot be flushed now is flushed at the next look, and told once.
    const auto synced = (*m_history)->syncWhenDue();
    if (std::exchange(m_isFlushed, synced.has_value()) && !synced)
        notify(Notice::Kind::NotFlushed, synced.error().message);
    const auto untilSync = synced.value_or(std::nullopt);
    const std::chrono::milliseconds rest = std::min(kLookEvery, untilSync.value_or(kLookEvery));
    if (now >= m_nextLook) {
        m_nextLook = now + kLookEvery;
        lookAfterFile(Look::Regular);
    }
    if (now >= m_nextExpiry) {
        m_nextExpiry = now + kExpiryEvery;
        // What cannot be written now expires an hour later.
        (void)history::expireTrash(
            **m_history,
            unixMs() - std::chrono::duration_cast<std::chrono::milliseconds>(kTrashTime).count());
    }
    if (now >= m_nextBackup && m_backingUp == 0) {
        m_nextBackup = now + kBackupLook;
        backUpIfOld();
    }
    if ((*m_history)->mayShred() && m_backingUp == 0 && now >= m_nextShred) {
        shred();
        return kBetweenSlices;
    }
    return rest;
}

void Storage::lookAfterFile(Look look) {
    using history::Whereabouts;
    history::History& history = **m_history;
    const Whereabouts found = history.whereabouts();
    if (found == Whereabouts::InPlace) return;
    const bool isOverwritten = found == Whereabouts::Overwritten || found == Whereabouts::BeingOverwritten;
    // Half a file is nothing to open, and a backup has the file open: look again.
    const bool mustWait = found == Whereabouts::BeingOverwritten || (isOverwritten && m_backingUp > 0);
    if (mustWait && look == Look::Regular) return;
    const std::string wanted = historyPath();
    std::error_code unknown;
    const bool free = !std::filesystem::exists(wanted, unknown);
    if (unknown) return;  // the folder cannot be read now: look again
    const Status moved =
        history.moveTo(free ? wanted : m_folder + "/history-kept-" + timeForNames() + ".sqlite");
    if (!moved && isOverwritten && moved.error().code == ErrorCode::Corrupt) {
        if (look == Look::Regular) openOverwritten();
        return;
    }
    if (!moved) {
        if (!std::exchange(m_saidNotRescued, true))
            notify(Notice::Kind::FileNotRescued, moved.error().message);
        return;
    }
    m_saidNotRescued = false;
    m_readers.post([this, path = history.path()] { openReader(path); });
    notify(free ? Notice::Kind::FileRescued : Notice::Kind::FileKeptBeside);
}

void Storage::openOverwritten() {
    // SQLite knows a file by its inode: nobody may have it open any more who knows another content.
    closeReader();
    history::History::leave(std::move(*m_history));
    m_history = kClosed;
    const Result<std::string> opened = openHistory();
    m_readers.post([this, opened] { openReader(opened); });
    notify(Notice::Kind::FileOverwritten);
}

void Storage::shred() {
    using history::ShredState;
    const auto said = [this](const Error& error) {
        m_nextShred = Clock::now() + kTryAgain;
        if (!std::exchange(m_saidWaits, true)) notify(Notice::Kind::ShreddingWaits, error.message);
    };
    const auto state = history::shredSlice(**m_history, kSlice);
    if (!state) return said(state.error());
    if (*state == ShredState::Done) m_saidWaits = false;
    if (*state == ShredState::Waiting) m_nextShred = Clock::now() + kLookEvery;
    if (*state != ShredState::BackupsLeft) return;
    // Takes seconds, and the journal goes on: of the history it only reads.
    ++m_backingUp;
    m_backups.post([this, said, path = (*m_history)->path()] {
        m_journal.post([this, said, replaced = history::replaceBackups(path)] {
            --m_backingUp;
            const Status done = !replaced   ? replaced
                                : m_history ? history::backupsReplaced(**m_history)
                                            : Status(kClosed);
            if (!done) said(done.error());
        });
    });
}

void Storage::notify(Notice::Kind kind, const std::string& error, const std::string& path) {
    if (!m_noticed) return;
    m_noticed({kind, !path.empty() ? path : m_history ? (*m_history)->path() : m_folder, error});
}

}  // namespace ingle::storage
