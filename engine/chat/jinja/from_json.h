/// JSON as values of a template.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/chat/jinja/value.h"

namespace ingle::chat::jinja {

/// All text in it is Origin::Message. Errors: Unsupported when it is nested too deep.
Result<Value> fromJson(const nlohmann::ordered_json& json);

}  // namespace ingle::chat::jinja
