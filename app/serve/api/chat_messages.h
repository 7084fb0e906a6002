/// The messages of a chat, from the API's form to the engine's.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "app/serve/api/api_error.h"
#include "ingle/types.h"

namespace ingle::serve::api {

/// Roles system, developer (the same), user, assistant and tool; contents are texts or lists of parts that
/// are texts. Errors: one that says which field of which message cannot be used (pictures and sound among
/// them).
Expected<std::vector<ChatMessage>> readMessages(const nlohmann::ordered_json& messages);

}  // namespace ingle::serve::api
