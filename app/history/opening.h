/// Opening a history: the file is checked, brought up to date and put in order first.
#pragma once

#include <memory>
#include <string>

#include "app/history/store/history.h"
#include "ingle/result.h"

namespace ingle::history {

/// Creates or migrates the file (0600, folder 0700); migrations run in one transaction after a backup beside
/// the file. A file with a newer user_version, or one of this version that may not be written or whose
/// disk is full, opens read-only. Messages left Streaming become Interrupted, and what was left of an import
/// goes. Errors: Io; Corrupt when SQLite says the file is damaged.
Result<std::unique_ptr<History>> openHistory(const std::string& path);
/// A second connection to a file that openHistory() has opened. Errors: Io; Corrupt, also when it is no such
/// file.
Result<std::unique_ptr<HistoryReader>> openReader(const std::string& path);

/// A history that no file has, for private chats: what it holds goes when it and its readers are closed. Its
/// conversations and messages have ids that no other's have (isPrivate()). `name`: letters, digits and '-'.
/// Errors: Io.
Result<std::unique_ptr<History>> openHistoryInMemory(const std::string& name);
/// Another connection to one. Errors: Io.
Result<std::unique_ptr<HistoryReader>> openReaderInMemory(const std::string& name);

}  // namespace ingle::history
