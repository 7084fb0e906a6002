/// One SQLite connection with Inglenook's settings: exceptions become Results, writes are transactions of a
/// stated durability. Private to app/history and its tests.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/Savepoint.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/history/store/row_id.h"
#include "ingle/paint_thread.h"
#include "ingle/result.h"

namespace ingle::history {

enum class FileMode {
    ReadWrite,
    ReadOnly,
    Untouched,  ///< read without a file beside it, which a full disk would have no room for; nobody else
                ///< writes
};

enum class Durability {
    Process,  ///< survives a killed process (synchronous=NORMAL), and after kUnsyncedTime a power cut: for
              ///< streamed text
    Power,    ///< survives a power cut (synchronous=FULL)
};

/// What was committed for Durability::Process reaches the disk this long after, at the next commit or
/// Database::syncWhenDue().
inline constexpr std::chrono::milliseconds kUnsyncedTime{700};

/// Tells a file from another one of the same name; all zero: there is none.
struct FileId {
    uint64_t device = 0;
    uint64_t inode = 0;

    bool operator==(const FileId&) const = default;
};

FileId fileId(const std::string& path);

/// Changes whenever somebody writes into a file.
struct FileStamp {
    int64_t bytes = 0;
    int64_t modifiedNs = 0;

    bool operator==(const FileStamp&) const = default;
};

/// Whether permissions let this process write into a file. (Opening it to find out would end SQLite's locks:
/// https://www.sqlite.org/howtocorrupt.html, 2.2.)
bool isWritable(const std::string& path);

/// Makes the folder of a file, for this user only. Errors: Io.
Status createFolderOf(const std::string& path);

class Database {
  public:
    /// Opens the file with all pragmas set; ReadWrite creates it (0600). To be read, a file that may not be
    /// written leaves nothing beside it that could not be written later. Errors: Io, Corrupt.
    static Result<std::unique_ptr<Database>> open(const std::string& path, FileMode mode);
    /// As open(), in memory alone: as long as a connection of that name is open. Errors: Io.
    static Result<std::unique_ptr<Database>> openInMemory(const std::string& name, FileMode mode);
    /// What the log holds goes into the file, unless somebody else has written into that.
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    FileMode mode() const { return m_mode; }
    /// From now on nothing is written, for this reason.
    void refuse(Error why) { m_refusal = std::move(why); }
    const std::optional<Error>& refusal() const { return m_refusal; }
    SQLite::Database& sqlite() { return m_sqlite; }
    const std::string& path() const { return m_path; }
    /// Of the file when it was opened, and of what SQLite keeps beside it as long as it is open.
    const FileId& id() const { return m_id; }
    /// Looks at those beside it: SQLite makes them when it reads for the first time.
    void noteFilesBeside();
    /// A log beside a file that it does not belong to would be read into that.
    void removeFilesBeside() const;
    /// Only this connection writes into the file, and only when the log goes there: whether it has been
    /// changed otherwise. Nothing is written over it then.
    bool isForeign() const;
    /// Whether the file has changed since this was asked last: somebody may still be writing into it.
    bool hasChanged();
    /// Brings the write-ahead log into the file and empties it; false while somebody reads what it held.
    Result<bool> truncateLog();
    /// Brings what was committed for Durability::Process to the disk when it is time. Returns when to come
    /// again; nothing waits then: no time. Errors: Io.
    Result<std::optional<std::chrono::milliseconds>> syncWhenDue();
    static constexpr int kLogPages = 1000;
    /// Brings the log into the file whenever it has grown to that, a commit later at most.
    void setLogPages(int pages) { m_logPages = pages; }
    /// From any thread: what runs ends with Cancelled.
    void interrupt();

    /// Runs `work`, a function returning a Result; what SQLite throws becomes its error.
    /// Errors beside those of `work`: Io ("disk is full"), Corrupt, InvalidArgument for a broken constraint,
    /// Cancelled after interrupt().
    template <typename Work>
    std::invoke_result_t<Work> run(Work&& work) {
        mustNotPaint("The history");
        try {
            return work();
        } catch (const SQLite::Exception& exception) {
            return tl::unexpected(toError(exception));
        }
    }

    /// As run, inside an immediate transaction that is undone when `work` fails. Within another one it is a
    /// part of that, as durable as that. After refuse() its error.
    template <typename Work>
    std::invoke_result_t<Work> transact(Durability durability, Work&& work) {
        if (m_refusal) return tl::unexpected(*m_refusal);
        return run([&]() -> std::invoke_result_t<Work> {
            if (inTransaction()) {
                SQLite::Savepoint part(m_sqlite, "part");
                auto result = work();
                if (result) part.release();
                return result;
            }
            setDurability(durability);
            SQLite::Transaction transaction(m_sqlite, SQLite::TransactionBehavior::IMMEDIATE);
            auto result = work();
            if (result) {
                transaction.commit();
                noteCommit(durability);
            }
            return result;
        });
    }

    /// A statement with its parameters ?1, ?2 … bound: integers (64-bit unsigned as their bit pattern),
    /// doubles, text (may hold U+0000), blobs (spans of bytes) and nullptr.
    template <typename... Values>
    SQLite::Statement prepare(const std::string& sql, const Values&... values) {
        SQLite::Statement statement(m_sqlite, sql);
        bindAll(statement, values...);
        return statement;
    }
    /// As prepare(), but once for this connection: for what runs for every token.
    SQLite::Statement& prepareOnce(const std::string& sql) {
        return m_prepared.try_emplace(sql, m_sqlite, sql).first->second;
    }
    /// Runs one statement; returns the number of changed rows.
    template <typename... Values>
    int execute(const std::string& sql, const Values&... values) {
        return prepare(sql, values...).exec();
    }

    template <typename... Values>
    static void bindAll(SQLite::Statement& statement, const Values&... values) {
        int index = 0;
        (bindOne(statement, ++index, values), ...);
    }

    template <std::integral T>
    static void bindOne(SQLite::Statement& statement, int index, T value) {
        statement.bind(index, static_cast<int64_t>(value));
    }
    static void bindOne(SQLite::Statement& statement, int index, double value) {
        statement.bind(index, value);
    }
    static void bindOne(SQLite::Statement& statement, int index, std::string_view text) {
        statement.bind(index, std::string(text));
    }
    static void bindOne(SQLite::Statement& statement, int index, std::span<const std::byte> blob) {
        // A null pointer would bind NULL and not the empty blob.
        const void* bytes = blob.empty() ? "" : static_cast<const void*>(blob.data());
        statement.bind(index, bytes, static_cast<int>(blob.size()));
    }
    static void bindOne(SQLite::Statement& statement, int index, std::nullptr_t) { statement.bind(index); }

    /// Runs one UPDATE whose parameter ?1 is the row `id` of a conversation or message.
    template <typename... Values>
    Status updateRow(Durability durability, const char* sql, int64_t id, const Values&... values) {
        return transact(durability, [&]() -> Status {
            if (execute(sql, id, values...) == 1) return {};
            return fail(ErrorCode::InvalidArgument, "The history has no such entry: {}.", id);
        });
    }

  private:
    /// `name`: the path, or with OPEN_URI its address.
    Database(const std::string& path, FileMode mode, const std::string& name, int flags, int busyTimeoutMs)
        : m_path(path), m_mode(mode), m_sqlite(name, flags, busyTimeoutMs) {}

    /// The file is as we have written it.
    void noteContent();
    bool inTransaction();

    bool isSyncDue() const;
    void noteCommit(Durability durability);
    static int onCommit(void* self, sqlite3* connection, const char* name, int numLogPages);
    void setDurability(Durability durability);
    Error toError(const SQLite::Exception& exception);

    std::string m_path;
    FileMode m_mode;
    std::optional<Error> m_refusal;
    FileId m_id, m_logId, m_sharedId;
    FileStamp m_stamp;  ///< after what this wrote last
    FileStamp m_seen;   ///< when hasChanged() was asked last
    int m_logPages = kLogPages;
    SQLite::Database m_sqlite;
    std::map<std::string, SQLite::Statement> m_prepared;  ///< they go before their connection
    Durability m_durability = Durability::Power;
    bool m_hasWritten = false;  ///< the transaction that ends, into the log
    /// When the first commit was made that the disk need not have.
    std::optional<std::chrono::steady_clock::time_point> m_unsyncedSince;
};

/// The first column of all rows that a statement finds.
std::vector<RowId> idsOf(SQLite::Statement rows);

}  // namespace ingle::history
