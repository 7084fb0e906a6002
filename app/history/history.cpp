#include "app/history/history.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/history/database.h"
#include "app/history/schema.h"
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

HistoryReader::HistoryReader(std::unique_ptr<Database> database, Access access)
    : m_database(std::move(database)), m_access(access) {}

HistoryReader::~HistoryReader() = default;

Result<std::unique_ptr<HistoryReader>> HistoryReader::open(const std::string& path) {
    INGLE_TRY_ASSIGN(auto database, Database::open(path, FileMode::ReadOnly));
    INGLE_TRY_ASSIGN(const int version, schemaVersion(*database));
    const int known = static_cast<int>(allMigrations().size());
    if (version < known) {
        return withId<ErrorId::HistoryDamaged>(
            fail(ErrorCode::Corrupt, "The history {} has version {} instead of {}.", path, version, known));
    }
    const Access access = version > known ? Access::ReadOnly : Access::ReadWrite;
    return std::unique_ptr<HistoryReader>(new HistoryReader(std::move(database), access));
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

    INGLE_TRY_ASSIGN(auto database, Database::open(absolute, FileMode::ReadWrite));
    INGLE_TRY_ASSIGN(const int version, schemaVersion(*database));
    const auto migrations = allMigrations();
    if (version > static_cast<int>(migrations.size())) {
        INGLE_TRY_ASSIGN(database, Database::open(absolute, FileMode::ReadOnly));
        return std::unique_ptr<History>(new History(std::move(database), Access::ReadOnly));
    }
    INGLE_TRY(migrate(*database, version, migrations));
    std::unique_ptr<History> history(new History(std::move(database), Access::ReadWrite));
    INGLE_TRY(history->recoverInterrupted());
    return history;
}

}  // namespace ingle::history
