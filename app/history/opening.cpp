#include "app/history/opening.h"

#include <filesystem>

#include "app/history/chats/answers.h"
#include "app/history/store/backups.h"
#include "app/history/store/database.h"
#include "app/history/store/schema.h"
#include "app/history/trash/shredding.h"
#include "ingle/error_ids.h"

namespace ingle::history {

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

Result<std::unique_ptr<Database>> openAsItIs(const std::string& path) {
    auto database = Database::open(path, FileMode::ReadOnly);
    if (database || errorIdOf(database.error()) != ErrorId::DiskFull) return database;
    return Database::open(path, FileMode::Untouched);
}

/// As it is, for this reason. Errors: Corrupt when it is of another version.
Result<std::unique_ptr<History>> openToRead(const std::string& path, Error why) {
    INGLE_TRY_ASSIGN(auto database, openAsItIs(path));
    INGLE_TRY_ASSIGN(const int version, schemaVersion(*database));
    if (version < knownVersion()) return tl::unexpected(std::move(why));
    database->refuse(std::move(why));
    return std::make_unique<History>(std::move(database));
}

/// In order, and ready to be written.
Result<std::unique_ptr<History>> openToWrite(const std::string& path) {
    std::error_code error;
    finishRestore(path);
    const bool mayWrite = !std::filesystem::exists(path, error) || isWritable(path);
    INGLE_TRY_ASSIGN(auto database,
                     Database::open(path, mayWrite ? FileMode::ReadWrite : FileMode::ReadOnly));
    INGLE_TRY_ASSIGN(const int version, schemaVersion(*database));
    if (auto refusal = refusalOf(path, version)) {
        // It would have to be brought up to date first.
        if (version < knownVersion()) return tl::unexpected(std::move(*refusal));
        database.reset();
        return openToRead(path, std::move(*refusal));
    }
    INGLE_TRY(migrate(*database, version, allMigrations()));
    auto history = std::make_unique<History>(std::move(database));
    INGLE_TRY(recoverInterrupted(*history));
    INGLE_TRY(dropArrivals(*history));
    INGLE_TRY(dropLooseFiles(*history));
    return history;
}

}  // namespace

Result<std::unique_ptr<HistoryReader>> openReader(const std::string& path) {
    INGLE_TRY_ASSIGN(auto database, openAsItIs(path));
    INGLE_TRY_ASSIGN(const int version, schemaVersion(*database));
    if (version < knownVersion()) {
        return withId<ErrorId::HistoryDamaged>(fail(ErrorCode::Corrupt,
                                                    "The history {} has version {} instead of {}.", path,
                                                    version, knownVersion()));
    }
    if (auto refusal = refusalOf(path, version)) database->refuse(std::move(*refusal));
    return std::make_unique<HistoryReader>(std::move(database));
}

Result<std::unique_ptr<History>> openHistory(const std::string& path) {
    std::error_code error;
    const std::string absolute = std::filesystem::absolute(path, error).string();
    if (error) return fail(ErrorCode::Io, "Cannot open the history {}: {}.", path, error.message());
    INGLE_TRY(createFolderOf(absolute));
    auto opened = openToWrite(absolute);
    if (opened || errorIdOf(opened.error()) != ErrorId::DiskFull) return opened;
    auto readable = openToRead(absolute, opened.error());
    return readable ? std::move(readable) : std::move(opened);
}

Result<std::unique_ptr<HistoryReader>> openReaderInMemory(const std::string& name) {
    INGLE_TRY_ASSIGN(auto database, Database::openInMemory(name, FileMode::ReadOnly));
    return std::make_unique<HistoryReader>(std::move(database));
}

Result<std::unique_ptr<History>> openHistoryInMemory(const std::string& name) {
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
    return std::make_unique<History>(std::move(database));
}

}  // namespace ingle::history
