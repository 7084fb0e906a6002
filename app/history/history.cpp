#include "app/history/history.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/history/store/backups.h"
#include "app/history/store/database.h"
#include "app/history/store/schema.h"
#include "ingle/error_ids.h"

namespace ingle::history {

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

namespace {

int knownVersion() {
    return static_cast<int>(allMigrations().size());
}

/// Why a file of this version, or a newer one, can only be read.
std::optional<Error> refusalOf(const std::string& path, int version) {
    if (version > knownVersion()) {
        return withId<ErrorId::HistoryNewer>(Error{
            ErrorCode::Unsupported,
            fmt::format("The history was written by a newer version of Inglenook and can only be read: {}.",
                        path)});
    }
    if (isWritable(path)) return std::nullopt;
    return withId<ErrorId::HistoryNotWritable>(
        Error{ErrorCode::Io, fmt::format("The permissions of {} do not let it be written.", path)}, path);
}

}  // namespace

HistoryReader::HistoryReader(std::unique_ptr<Database> database) : m_database(std::move(database)) {}

HistoryReader::~HistoryReader() = default;

const std::optional<Error>& HistoryReader::refusal() const {
    return m_database->refusal();
}

Result<std::unique_ptr<HistoryReader>> HistoryReader::open(const std::string& path) {
    INGLE_TRY_ASSIGN(auto database, Database::open(path, FileMode::ReadOnly));
    INGLE_TRY_ASSIGN(const int version, schemaVersion(*database));
    if (version < knownVersion()) {
        return withId<ErrorId::HistoryDamaged>(fail(ErrorCode::Corrupt,
                                                    "The history {} has version {} instead of {}.", path,
                                                    version, knownVersion()));
    }
    if (auto refusal = refusalOf(path, version)) database->refuse(std::move(*refusal));
    return std::unique_ptr<HistoryReader>(new HistoryReader(std::move(database)));
}

const std::string& HistoryReader::path() const {
    return m_database->path();
}

void HistoryReader::interrupt() {
    m_database->interrupt();
}

Result<std::unique_ptr<History>> History::open(const std::string& path) {
    std::error_code error;
    const std::string absolute = std::filesystem::absolute(path, error).string();
    if (error) return fail(ErrorCode::Io, "Cannot open the history {}: {}.", path, error.message());
    INGLE_TRY(createFolderOf(absolute));

    finishRestore(absolute);
    const bool mayWrite = !std::filesystem::exists(absolute, error) || isWritable(absolute);
    INGLE_TRY_ASSIGN(auto database,
                     Database::open(absolute, mayWrite ? FileMode::ReadWrite : FileMode::ReadOnly));
    INGLE_TRY_ASSIGN(const int version, schemaVersion(*database));
    if (auto refusal = refusalOf(absolute, version)) {
        // It would have to be brought up to date first.
        if (version < knownVersion()) return tl::unexpected(std::move(*refusal));
        INGLE_TRY_ASSIGN(database, Database::open(absolute, FileMode::ReadOnly));
        database->refuse(std::move(*refusal));
        return std::unique_ptr<History>(new History(std::move(database)));
    }
    INGLE_TRY(migrate(*database, version, allMigrations()));
    std::unique_ptr<History> history(new History(std::move(database)));
    INGLE_TRY(history->recoverInterrupted());
    INGLE_TRY(history->dropArrivals());
    return history;
}

Result<std::unique_ptr<HistoryReader>> HistoryReader::openInMemory(const std::string& name) {
    INGLE_TRY_ASSIGN(auto database, Database::openInMemory(name, FileMode::ReadOnly));
    return std::unique_ptr<HistoryReader>(new HistoryReader(std::move(database)));
}

Result<std::unique_ptr<History>> History::openInMemory(const std::string& name) {
    INGLE_TRY_ASSIGN(auto database, Database::openInMemory(name, FileMode::ReadWrite));
    INGLE_TRY(migrate(*database, 0, allMigrations()));
    INGLE_TRY(database->transact(Durability::Power, [&]() -> Status {
        for (const char* table : {"conversations", "messages"}) {
            database->execute("DELETE FROM sqlite_sequence WHERE name = ?1", table);
            database->execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", table,
                              kFirstPrivateId);
        }
        return {};
    }));
    return std::unique_ptr<History>(new History(std::move(database)));
}

}  // namespace ingle::history
