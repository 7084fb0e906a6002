/// Settings: a text for each key.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/history/store/history.h"
#include "ingle/result.h"

namespace ingle::history {

/// Nothing, where it was never set.
Result<std::optional<std::string>> setting(HistoryReader& history, const std::string& key);
Status setSetting(History& history, const std::string& key, const std::string& value);
/// All or none.
Status setSettings(History& history, const std::map<std::string, std::string>& values);

}  // namespace ingle::history
