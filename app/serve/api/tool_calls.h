/// Calls of functions.
#pragma once

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

}  // namespace ingle::serve::api
