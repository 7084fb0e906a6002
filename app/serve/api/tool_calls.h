/// Calls of functions.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingle::serve::api {

struct ToolCall {
    std::string name;
    std::string arguments;  ///< a JSON object, as text
    std::string id = {};    ///< the model's own; empty: it gave none
};

/// A JSON object with "name" and "arguments" ("parameters": Llama 3.1), or a list of those. The engine reads
/// other forms and gives out this one. Nothing for anything else.
std::optional<std::vector<ToolCall>> parseToolCalls(std::string_view text);

/// The arguments as an object, for the APIs that give them out as one. Nothing where a limit cut them off.
std::optional<nlohmann::ordered_json> argumentsOf(const ToolCall& call);
/// What of such a call can be told there: its text.
std::string unfinishedText(const ToolCall& call);

}  // namespace ingle::serve::api
