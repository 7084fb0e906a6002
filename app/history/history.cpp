#include "app/history/history.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/history/schema.h"
#include "app/history/sqlite_history.h"

namespace ingle::history {
namespace {

Status createFolder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder.parent_path(), error);
    if (!error && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        error = std::error_code(errno, std::generic_category());
    }
    if (error) {
        return fail(ErrorCode::Io, "Cannot create the folder {}: {}.", folder.string(), error.message());
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<History>> History::open(const std::string& path) {
    std::error_code error;
    const std::string absolute = std::filesystem::absolute(path, error).string();
    if (error) return fail(ErrorCode::Io, "Cannot open the history {}: {}.", path, error.message());
    INGLE_TRY(createFolder(std::filesystem::path(absolute).parent_path()));

    INGLE_TRY_ASSIGN(auto database, Database::open(absolute, FileMode::ReadWrite));
    INGLE_TRY_ASSIGN(const int version, schemaVersion(*database));
    const auto migrations = allMigrations();
    if (version > static_cast<int>(migrations.size())) {
        INGLE_TRY_ASSIGN(database, Database::open(absolute, FileMode::ReadOnly));
        return std::make_unique<SqliteHistory>(std::move(database), Access::ReadOnly);
    }
    INGLE_TRY(migrate(*database, version, migrations));
    auto history = std::make_unique<SqliteHistory>(std::move(database), Access::ReadWrite);
    INGLE_TRY(history->recoverInterrupted());
    return history;
}

}  // namespace ingle::history
