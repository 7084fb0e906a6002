/// The files that other programs keep chats in.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/exchange/importer.h"
#include "ingle/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ingle::exchange {

inline constexpr uint64_t kMostBytes = uint64_t{2} << 30;

/// Errors: Io (with its id), also when there is nothing.
Result<Source> openSource(const std::string& path);
/// All of a file. Errors: Io; Unsupported when it is larger than kMostBytes.
Result<std::string> contentOf(const std::string& path);
/// Regular files below a folder whose name ends so, at most `depth` folders deep, by name. No link is
/// followed.
std::vector<std::string> filesBelow(const std::string& folder, std::string_view ending, int depth);
/// "name" of a path.
std::string nameOf(const std::string& path);
/// The folder that holds it.
std::string folderOf(const std::string& path);

bool isZip(const Source& source);
/// Unpacks, one after the other by name, the parts whose name, without folders, begins and ends so. What
/// unpacks to more than kMostBytes is refused. Errors: Corrupt, Unsupported (encrypted, too large). Programs
/// choose by what they link (app/exchange/unzip): the window refuses all.
Status forEachZipped(const std::string& path, std::string_view begin, std::string_view end,
                     const std::function<Status(const std::string& content)>& take);

bool isDatabase(const Source& source);

/// A database of a stranger: read only, and nothing of what it defines (views, triggers, functions) is
/// trusted.
class ForeignDatabase {
  public:
    class Rows {
      public:
        bool next();                         ///< false: that were all, or it is damaged
        std::string text(int column) const;  ///< also a blob; empty: NULL
        int64_t number(int column) const;
        bool isNumber(int column) const;

      private:
        friend class ForeignDatabase;
        std::shared_ptr<sqlite3_stmt> m_statement;
        bool* m_damaged = nullptr;
    };

    /// Errors: Io; Corrupt.
    static Result<ForeignDatabase> open(const std::string& path);
    bool hasTable(const std::string& table, std::initializer_list<const char*> columns);
    bool hasColumn(const std::string& table, const std::string& column);
    /// `argument`: ?1. A statement that does not fit gives no rows and status() tells it.
    Rows query(const std::string& sql, const std::string& argument = {});
    /// Errors: Corrupt, when anything that was asked could not be read.
    Status status() const;

  private:
    std::shared_ptr<sqlite3> m_connection;
    std::shared_ptr<bool> m_damaged = std::make_shared<bool>(false);
};

}  // namespace ingle::exchange
