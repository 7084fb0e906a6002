/// Rows of pictures. Private to app/history; everything throws as SQLiteCpp does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/history/chats/pictures.h"
#include "app/history/store/database.h"

namespace ingle::history {

/// The row of a file with that content, which is made where there is none.
RowId fileRow(Database& database, const PictureFile& file);
/// The row of a picture; 0: it is not stored.
RowId pictureRow(Database& database, std::string_view hash);
/// The hash of a row that fileRow() made.
std::string hashOfRow(Database& database, RowId file);
/// Files that neither a message nor a document nor a draft holds.
std::vector<RowId> looseFiles(Database& database);

}  // namespace ingle::history
