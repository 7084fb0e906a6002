#include "app/exchange/foreign_file.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ingle::exchange {
namespace {

namespace fs = std::filesystem;

void collect(const fs::path& folder, std::string_view ending, int depth, std::vector<std::string>& found) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        const fs::file_status status = entry->symlink_status(ignored);
        if (fs::is_directory(status) && depth > 0) {
            collect(entry->path(), ending, depth - 1, found);
        } else if (fs::is_regular_file(status) && entry->path().filename().string().ends_with(ending)) {
            found.push_back(entry->path().string());
        }
    }
}

}  // namespace

Result<Source> openSource(const std::string& path) {
    Source source{.path = path};
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) {
        source.isFolder = true;
        return source;
    }
    if (!fs::is_regular_file(status)) return fail(ErrorCode::Io, "There is no file {}.", path);
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(ErrorCode::Io, "{} cannot be read.", path);
    source.beginning.resize(Source::kBeginningBytes);
    file.read(source.beginning.data(), static_cast<std::streamsize>(source.beginning.size()));
    source.beginning.resize(static_cast<size_t>(file.gcount()));
    return source;
}

Result<std::string> contentOf(const std::string& path) {
    std::error_code error;
    const uintmax_t size = fs::file_size(path, error);
    if (error) return fail(ErrorCode::Io, "{} cannot be read: {}.", path, error.message());
    if (size > kMostBytes) return fail(ErrorCode::Unsupported, "{} is larger than 2 GB.", path);
    std::string content(static_cast<size_t>(size), '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(content.data(), static_cast<std::streamsize>(size));
    if (static_cast<uintmax_t>(file.gcount()) != size) return fail(ErrorCode::Io, "{} cannot be read.", path);
    return content;
}

std::vector<std::string> filesBelow(const std::string& folder, std::string_view ending, int depth) {
    std::vector<std::string> found;
    collect(folder, ending, depth, found);
    std::ranges::sort(found);
    return found;
}

std::string nameOf(const std::string& path) {
    return fs::path(path).filename().string();
}

std::string folderOf(const std::string& path) {
    const std::string folder = fs::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

bool isZip(const Source& source) {
    return source.beginning.starts_with("PK\x03\x04");
}

bool isDatabase(const Source& source) {
    return source.beginning.starts_with(std::string_view("SQLite format 3\0", 16));
}

bool ForeignDatabase::Rows::next() {
    if (!m_statement) return false;
    const int result = sqlite3_step(m_statement.get());
    if (result != SQLITE_ROW && result != SQLITE_DONE) *m_damaged = true;
    return result == SQLITE_ROW;
}

std::string ForeignDatabase::Rows::text(int column) const {
    const void* bytes = sqlite3_column_blob(m_statement.get(), column);
    const int size = sqlite3_column_bytes(m_statement.get(), column);
    return bytes ? std::string(static_cast<const char*>(bytes), static_cast<size_t>(size)) : std::string();
}

int64_t ForeignDatabase::Rows::number(int column) const {
    return sqlite3_column_int64(m_statement.get(), column);
}

bool ForeignDatabase::Rows::isNumber(int column) const {
    const int type = sqlite3_column_type(m_statement.get(), column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

Result<ForeignDatabase> ForeignDatabase::open(const std::string& path) {
    ForeignDatabase database;
    sqlite3* connection = nullptr;
    const int opened = sqlite3_open_v2(path.c_str(), &connection, SQLITE_OPEN_READONLY, nullptr);
    database.m_connection = std::shared_ptr<sqlite3>(connection, &sqlite3_close_v2);
    if (opened != SQLITE_OK) return fail(ErrorCode::Io, "{} cannot be opened.", path);
    sqlite3_busy_timeout(connection, 2000);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 512 << 20);
    sqlite3_exec(connection, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
    return database;
}

bool ForeignDatabase::hasColumn(const std::string& table, const std::string& column) {
    Rows row = query("SELECT 1 FROM pragma_table_info('" + table + "') WHERE name = ?1", column);
    return row.next();
}

bool ForeignDatabase::hasTable(const std::string& table, std::initializer_list<const char*> columns) {
    return std::ranges::all_of(columns, [&](const char* column) { return hasColumn(table, column); });
}

ForeignDatabase::Rows ForeignDatabase::query(const std::string& sql, const std::string& argument) {
    Rows rows;
    rows.m_damaged = m_damaged.get();
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(m_connection.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
        *m_damaged = true;
        return rows;
    }
    rows.m_statement = std::shared_ptr<sqlite3_stmt>(statement, &sqlite3_finalize);
    if (sqlite3_bind_parameter_count(statement) > 0)
        sqlite3_bind_text(statement, 1, argument.data(), static_cast<int>(argument.size()), SQLITE_TRANSIENT);
    return rows;
}

Status ForeignDatabase::status() const {
    if (!*m_damaged) return {};
    return fail(ErrorCode::Corrupt, "The database is damaged, or of another form than is known.");
}

}  // namespace ingle::exchange
