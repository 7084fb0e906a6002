#include "app/history/store/settings.h"

#include "app/history/store/database.h"

namespace ingle::history {

Result<std::optional<std::string>> setting(HistoryReader& history, const std::string& key) {
    Database& database = history.database();
    return database.run([&]() -> Result<std::optional<std::string>> {
        auto row = database.prepare("SELECT value FROM settings WHERE key = ?1", key);
        if (!row.executeStep()) return std::nullopt;
        return row.getColumn(0).getString();
    });
}

Status setSetting(History& history, const std::string& key, const std::string& value) {
    return setSettings(history, {{key, value}});
}

Status setSettings(History& history, const std::map<std::string, std::string>& values) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        for (const auto& [key, value] : values) {
            database.execute(
                "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2", key,
                value);
        }
        return {};
    });
}

}  // namespace ingle::history
