#include "app/history/store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "app/history/store/watched_files.h"
#include "ingle/error_ids.h"
#include "ingle/file_descriptor.h"

namespace ingle::history {
namespace {

constexpr int kBusyTimeoutMs = 5000;  // readers of a backup tool, never another writer

/// What the system said last of the file, or of its log.
int lastErrno(sqlite3* connection, int whichFile) {
    sqlite3_file* file = nullptr;
    int number = 0;
    if (::sqlite3_file_control(connection, "main", whichFile, &file) == SQLITE_OK && file != nullptr &&
        file->pMethods != nullptr)
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

/// SQLite takes what cannot be read for damage (SQLITE_IOERR_CORRUPTFS in its os_unix.c). It may pass.
bool couldNotRead(sqlite3* connection) {
    for (const int file : {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER})
        if (const int number = lastErrno(connection, file); number == EIO || number == ENXIO) return true;
    return false;
}

bool isFull(int systemErrno) {
    return systemErrno == ENOSPC || systemErrno == EDQUOT || systemErrno == EFBIG;
}

/// `connection`: null when there is none.
Error describe(const std::string& path, const SQLite::Exception& exception, sqlite3* connection) {
    int code = exception.getErrorCode();
    const bool ioFailed = code == SQLITE_IOERR || code == SQLITE_CANTOPEN;
    const bool isDamage = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    if (isDamage && connection != nullptr && couldNotRead(connection)) code = SQLITE_IOERR;
    if (code == SQLITE_FULL ||
        (ioFailed && connection != nullptr && isFull(::sqlite3_system_errno(connection)))) {
        return withId<ErrorId::DiskFull>(Error{
            ErrorCode::Io, fmt::format("The history cannot be saved because the disk is full: {}.", path)});
    }
    switch (code) {
        case SQLITE_INTERRUPT:
            return withCodeId({ErrorCode::Cancelled, "Reading the history was cancelled."});
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return withId<ErrorId::HistoryDamaged>(
                Error{ErrorCode::Corrupt,
                      fmt::format("The history file {} is damaged: {}.", path, exception.what())});
        case SQLITE_CONSTRAINT:
            return {ErrorCode::InvalidArgument,
                    fmt::format("The history refused a value: {}.", exception.what())};
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
            return withId<ErrorId::HistoryNotWritable>(
                Error{ErrorCode::Io, fmt::format("The history file {} failed: {}.", path, exception.what())},
                path);
        default:
            return withId<ErrorId::HistoryUnavailable>(
                Error{ErrorCode::Io, fmt::format("The history file {} failed: {}.", path, exception.what())});
    }
}

FileStamp stampOf(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return {status.st_size, int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

/// Of a file that nobody writes (https://www.sqlite.org/uri.html): without a log SQLite reads it without
/// files beside it, and with one it can keep the log's index in memory (https://www.sqlite.org/wal.html, 8).
std::string addressOfConstant(const std::string& path, bool hasLog) {
    std::string address = "file:";
    for (const char c : path) {
        if (std::string_view("%?#").find(c) != std::string_view::npos)
            address += fmt::format("%{:02X}", static_cast<unsigned>(c));
        else
            address += c;
    }
    return address + (hasLog ? "?vfs=unix-none" : "?immutable=1");
}

/// What a file needs to be read is in it.
bool isWithoutLog(const std::string& path) {
    return stampOf(path + "-wal").bytes == 0;
}

}  // namespace

bool isWritable(const std::string& path) {
    return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

Status createFolderOf(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    std::filesystem::create_directories(folder.parent_path(), error);
    if (!error && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        error = std::error_code(errno, std::generic_category());
    }
    if (error) {
        return withId<ErrorId::HistoryNotWritable>(
            fail(ErrorCode::Io, "Cannot create the folder {}: {}.", folder.string(), error.message()),
            folder.string());
    }
    return {};
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, FileMode mode) {
    watchOpens();
    int flags = SQLite::OPEN_READONLY;
    std::string name = path;
    const bool hasLog = !isWithoutLog(path);
    if (mode == FileMode::Untouched || (mode == FileMode::ReadOnly && !isWritable(path) && !hasLog)) {
        flags |= SQLite::OPEN_URI;
        name = addressOfConstant(path, hasLog);
    }
    if (mode == FileMode::ReadWrite) {
        flags = SQLite::OPEN_READWRITE;
        // Created here and not by SQLite, so that it is private from its first moment; -wal and -shm inherit.
        const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        if (file.get() < 0)
            return withId<ErrorId::HistoryNotWritable>(
                fail(ErrorCode::Io, "Cannot open {}: {}.", path, std::strerror(errno)), path);
    }
    std::unique_ptr<Database> database;
    try {
        database.reset(new Database(path, mode, name, flags, kBusyTimeoutMs));
        SQLite::Database& sqlite = database->m_sqlite;
        if (mode == FileMode::Untouched) sqlite.exec("PRAGMA locking_mode = EXCLUSIVE");
        sqlite.exec("PRAGMA foreign_keys = ON");
        sqlite.exec("PRAGMA secure_delete = ON");
        sqlite.exec("PRAGMA temp_store = MEMORY");  // no text in temporary files
        if (mode == FileMode::ReadWrite) {
            sqlite.exec("PRAGMA journal_mode = WAL");
            sqlite.exec("PRAGMA synchronous = FULL");
        }
        database->m_id = fileId(path);
        sqlite.execAndGet("PRAGMA schema_version");
        database->noteFilesBeside();
        database->noteContent();
        if (mode == FileMode::ReadWrite) ::sqlite3_wal_hook(sqlite.getHandle(), onCommit, database.get());
        return database;
    } catch (const SQLite::Exception& exception) {
        return tl::unexpected(describe(path, exception, database ? database->m_sqlite.getHandle() : nullptr));
    }
}

Result<std::unique_ptr<Database>> Database::openInMemory(const std::string& name, FileMode mode) {
    watchOpens();
    const int access =
        mode == FileMode::ReadWrite ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE : SQLite::OPEN_READONLY;
    // Names that begin with / are shared by the connections of a process (SQLite's memdb.c).
    const std::string address = fmt::format("file:/{}?vfs=memdb", name);
    try {
        std::unique_ptr<Database> database(
            new Database(name, mode, address, access | SQLite::OPEN_URI, kBusyTimeoutMs));
        database->m_sqlite.exec("PRAGMA foreign_keys = ON");
        database->m_sqlite.exec("PRAGMA temp_store = MEMORY");
        database->m_sqlite.exec("PRAGMA journal_mode = MEMORY");
        return database;
    } catch (const SQLite::Exception& exception) {
        return tl::unexpected(describe(name, exception, nullptr));
    }
}

Database::~Database() {
    if (m_mode != FileMode::ReadWrite || (fileId(m_path) == m_id && !isForeign())) return;
    ::sqlite3_db_config(m_sqlite.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    removeFilesBeside();
}

/// In place of SQLite's own (https://www.sqlite.org/c3ref/wal_hook.html), which asks nobody.
int Database::onCommit(void* self, sqlite3* connection, const char* name, int numLogPages) {
    auto& database = *static_cast<Database*>(self);
    database.m_hasWritten = true;
    if (numLogPages < database.m_logPages || database.isForeign()) return SQLITE_OK;
    // What cannot be written now is written with the next commit.
    (void)::sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    database.noteContent();
    return SQLITE_OK;
}

bool Database::isForeign() const {
    // A file of another name, or none, has other ways to be noticed: nothing is written there.
    // What it begins with does not tell: with a log SQLite leaves its counter of changes as it is.
    return fileId(m_path) == m_id && stampOf(m_path) != m_stamp;
}

bool Database::hasChanged() {
    const FileStamp now = stampOf(m_path);
    return std::exchange(m_seen, now) != now;
}

void Database::noteContent() {
    m_stamp = stampOf(m_path);
}

FileId fileId(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return {status.st_dev, status.st_ino};
}

void Database::noteFilesBeside() {
    m_logId = fileId(m_path + "-wal");
    m_sharedId = fileId(m_path + "-shm");
}

void Database::removeFilesBeside() const {
    for (const auto& [suffix, id] : {std::pair{"-wal", m_logId}, std::pair{"-shm", m_sharedId}}) {
        const std::string beside = m_path + suffix;
        if (fileId(beside) == id) ::unlink(beside.c_str());
    }
}

Result<bool> Database::truncateLog() {
    if (isForeign()) return false;
    const auto truncate = [&]() -> Result<bool> {
        auto checkpoint = prepare("PRAGMA wal_checkpoint(TRUNCATE)");
        checkpoint.executeStep();
        return checkpoint.getColumn(0).getInt() == 0;
    };
    // Whoever reads is not waited for.
    ::sqlite3_busy_timeout(m_sqlite.getHandle(), 0);
    const Result<bool> truncated = run(truncate);
    ::sqlite3_busy_timeout(m_sqlite.getHandle(), kBusyTimeoutMs);
    noteContent();
    return truncated;
}

void Database::interrupt() {
    ::sqlite3_interrupt(m_sqlite.getHandle());
}

void Database::setDurability(Durability durability) {
    if (durability == m_durability) return;
    m_sqlite.exec(durability == Durability::Power ? "PRAGMA synchronous = FULL"
                                                  : "PRAGMA synchronous = NORMAL");
    m_durability = durability;
}

bool Database::isSyncDue() const {
    return m_unsyncedSince && std::chrono::steady_clock::now() - *m_unsyncedSince >= kUnsyncedTime;
}

void Database::noteCommit(Durability durability) {
    // What changes nothing flushes nothing either.
    if (!std::exchange(m_hasWritten, false)) return;
    if (durability == Durability::Power)
        m_unsyncedSince.reset();
    else if (!m_unsyncedSince)
        m_unsyncedSince = std::chrono::steady_clock::now();
    // What fails is tried again at the next commit.
    if (isSyncDue()) (void)syncWhenDue();
}

Result<std::optional<std::chrono::milliseconds>> Database::syncWhenDue() {
    if (!m_unsyncedSince) return std::nullopt;
    if (!isSyncDue())
        return std::chrono::ceil<std::chrono::milliseconds>(*m_unsyncedSince + kUnsyncedTime -
                                                            std::chrono::steady_clock::now());
    sqlite3_file* log = nullptr;
    ::sqlite3_file_control(m_sqlite.getHandle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log != nullptr && log->pMethods != nullptr &&
        log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) != SQLITE_OK)
        return fail(ErrorCode::Io, "The history file {} cannot be flushed to the disk.", m_path);
    m_unsyncedSince.reset();
    return std::nullopt;
}

bool Database::inTransaction() {
    return ::sqlite3_get_autocommit(m_sqlite.getHandle()) == 0;
}

Error Database::toError(const SQLite::Exception& exception) {
    return describe(m_path, exception, m_sqlite.getHandle());
}

std::vector<RowId> idsOf(SQLite::Statement rows) {
    std::vector<RowId> ids;
    while (rows.executeStep()) ids.push_back(rows.getColumn(0).getInt64());
    return ids;
}

}  // namespace ingle::history
