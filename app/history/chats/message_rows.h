/// Rows of messages as values and back. Private to app/history; everything throws as SQLiteCpp does.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/history/chats/messages.h"
#include "app/history/store/database.h"

namespace ingle::history {

/// The columns of message_fields.h, with `table` before each: "m.role, m.status".
std::string messageColumns(const std::string& table = "");

/// "SELECT" with the columns that readMessages() reads; to be followed by FROM with `m` as the table of
/// messages.
const std::string& selectMessage();

/// Every message of a statement over selectMessage(), with its parts and its journal. Errors: Corrupt.
Result<std::vector<Message>> readMessages(Database& database, SQLite::Statement& rows);
/// Errors: InvalidArgument when there is none; Corrupt.
Result<Message> readMessage(Database& database, RowId id);

/// Adds a row for `message`, below its parent in its conversation, and its parts. What its own id is, is not
/// looked at. Errors: InvalidArgument when there is no such parent.
Result<RowId> insertMessage(Database& database, const Message& message);
/// Appends `message` below its parent and makes it the active leaf; id and time are set here.
Result<RowId> appendMessage(Database& database, Message message);

/// Stores the parts of a message from number `first` on; those before it are there already.
void storeParts(Database& database, RowId message, std::span<const Part> parts, size_t first);

/// How many parts of a message are stored; what its journal adds is not among them.
size_t countStoredParts(Database& database, RowId message);

}  // namespace ingle::history
