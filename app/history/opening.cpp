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

}  // namespace

Result<std::unique_ptr<HistoryReader>> openReader(const std::string& path) {
    INGLE_TRY_ASSIGN(auto database, Database::open(path, FileMode::ReadOnly));
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
        return std::make_unique<History>(std::move(database));
    }
    INGLE_TRY(migrate(*database, version, allMigrations()));
    auto history = std::make_unique<History>(std::move(database));
    INGLE_TRY(recoverInterrupted(*history));
    INGLE_TRY(dropArrivals(*history));
    return history;
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
