/// What travels as JSON: docs/export-format.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "app/history/portable.h"
#include "ingle/result.h"

namespace ingle::exchange {

inline constexpr std::string_view kFormatName = "inglenook.history";
inline constexpr int kFormatVersion = 1;

/// Keys stand in the order of the page that describes them; what has its default is left out.
nlohmann::ordered_json jsonOf(const history::PortableFolder& folder);
nlohmann::ordered_json jsonOf(const history::PortableProfile& profile);
nlohmann::ordered_json jsonOf(const history::PortableDocument& document);
nlohmann::ordered_json jsonOf(const history::PortableConversation& conversation);

// Values of another kind than the page says are errors (Corrupt); what is missing has its default; keys that
// are not on the page are ignored.
Result<history::PortableFolder> folderFrom(const nlohmann::json& value);
Result<history::PortableProfile> profileFrom(const nlohmann::json& value);
Result<history::PortableDocument> documentFrom(const nlohmann::json& value);
Result<history::PortableConversation> conversationFrom(const nlohmann::json& value);

/// On one line, in UTF-8.
std::string lineOf(const nlohmann::ordered_json& value);

}  // namespace ingle::exchange
