/// Chats of the history as a file.
#pragma once

#include <string>

#include "app/exchange/exporter.h"
#include "app/exchange/import_chats.h"
#include "engine/io/atomic_file.h"

namespace ingle::exchange {

/// Writes what is selected to `path`, for this user only; until all of it is there, there is no such file, or
/// the one that was there. Returns the number of conversations. Errors: Io (with Existing::Kept also when one
/// is there), Corrupt, Cancelled; InvalidArgument when there is no such conversation or folder.
Result<uint64_t> exportChats(history::HistoryReader& history, history::Selection selection,
                             const Exporter& exporter, const std::string& path, io::Existing existing,
                             const Course& course = {});

}  // namespace ingle::exchange
