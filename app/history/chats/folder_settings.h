/// The layer of a folder, as it is stored. Private to app/history.
#pragma once

#include <string>

#include "app/history/store/history.h"

namespace ingle::history {

/// A JSON object; empty: it has none.
Result<std::string> folderSettings(HistoryReader& history, RowId folder);
Status setFolderSettings(History& history, RowId folder, const std::string& settings);

}  // namespace ingle::history
