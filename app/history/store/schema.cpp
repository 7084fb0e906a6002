#include "app/history/store/schema.h"

#include <array>

#include "app/history/store/backups.h"
#include "ingle/error_ids.h"

namespace ingle::history {

extern const Migration kSchema1, kSchema2, kSchema3, kSchema4;

namespace {

constexpr int kApplicationId = 0x494e474c;  // "INGL": tells a history from other SQLite files

const std::array kMigrations{kSchema1, kSchema2, kSchema3, kSchema4};

int readNumber(Database& database, const char* sql) {
    return database.sqlite().execAndGet(sql).getInt();
}

}  // namespace

std::span<const Migration> allMigrations() {
    return kMigrations;
}

Result<int> schemaVersion(Database& database) {
    return database.run([&]() -> Result<int> {
        const int version = readNumber(database, "PRAGMA user_version");
        const bool empty = readNumber(database, "SELECT count(*) FROM sqlite_schema") == 0;
        if (!empty && readNumber(database, "PRAGMA application_id") != kApplicationId) {
            return withId<ErrorId::HistoryDamaged>(
                fail(ErrorCode::Corrupt, "{} is not a history of Inglenook.", database.path()));
        }
        return empty ? 0 : version;
    });
}

Status migrate(Database& database, int version, std::span<const Migration> migrations) {
    const int target = static_cast<int>(migrations.size());
    if (version >= target) return {};
    const std::string& path = database.path();
    if (version > 0) {
        // A copy; tables written anew, which lie in the write-ahead log first and then in the file.
        INGLE_TRY(askForRoom(path, 3 * sizeOnDisk(path)));
        INGLE_TRY(copyTo(database, backupPath(path, version)));
    }
    // A table that others refer to can be written anew only while nobody looks at the references
    // (https://www.sqlite.org/lang_altertable.html, "Making Other Kinds Of Table Schema Changes").
    INGLE_TRY(database.run([&]() -> Status {
        database.sqlite().exec("PRAGMA foreign_keys = OFF");
        return {};
    }));
    const Status migrated = database.transact(Durability::Power, [&]() -> Status {
        for (const Migration& step : migrations.subspan(static_cast<size_t>(version))) {
            database.sqlite().exec(step.before);
            if (step.move != nullptr) INGLE_TRY(step.move(database));
            database.sqlite().exec(step.after);
        }
        database.sqlite().exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
        database.sqlite().exec(fmt::format("PRAGMA user_version = {}", target));
        return {};
    });
    INGLE_TRY(database.run([&]() -> Status {
        database.sqlite().exec("PRAGMA foreign_keys = ON");
        return migrated;
    }));
    // The log has grown to the size of what was written; somebody else who reads keeps it so for a while.
    INGLE_TRY(database.truncateLog());
    return {};
}

}  // namespace ingle::history
