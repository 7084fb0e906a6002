/// One SQLite connection with Inglenook's settings: exceptions become Results, writes are transactions of a
/// stated durability. Private to app/history and its tests.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ingle/result.h"

namespace ingle::history {

enum class FileMode { ReadWrite, ReadOnly };

enum class Durability {
    Process,  ///< survives a killed process (synchronous=NORMAL): for streamed text
    Power,    ///< survives a power cut (synchronous=FULL)
};

class Database {
  public:
    /// Opens the file with all pragmas set; ReadWrite creates it (0600). Errors: Io, Corrupt.
    static Result<std::unique_ptr<Database>> open(const std::string& path, FileMode mode);

    SQLite::Database& sqlite() { return m_sqlite; }
    const std::string& path() const { return m_path; }

    /// Runs `work`, a function returning a Result; what SQLite throws becomes its error.
    /// Errors beside those of `work`: Io ("disk is full"), Corrupt, InvalidArgument for a broken constraint.
    template <typename Work>
    std::invoke_result_t<Work> run(Work&& work) {
        try {
            return work();
        } catch (const SQLite::Exception& exception) {
            return tl::unexpected(toError(exception));
        }
    }

    /// As run, inside an immediate transaction that is undone when `work` fails.
    template <typename Work>
    std::invoke_result_t<Work> transact(Durability durability, Work&& work) {
        return run([&]() -> std::invoke_result_t<Work> {
            setDurability(durability);
            SQLite::Transaction transaction(m_sqlite, SQLite::TransactionBehavior::IMMEDIATE);
            auto result = work();
            if (result) transaction.commit();
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

  private:
    Database(const std::string& path, int flags, int busyTimeoutMs)
        : m_path(path), m_sqlite(path, flags, busyTimeoutMs) {}

    void setDurability(Durability durability);
    Error toError(const SQLite::Exception& exception) const;

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

    std::string m_path;
    SQLite::Database m_sqlite;
    Durability m_durability = Durability::Power;
};

}  // namespace ingle::history
