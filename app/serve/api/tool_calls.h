/// Calls of functions, in the forms in which models write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingle::serve::api {

struct ToolCall {
    std::string name;
    std::string arguments;  ///< a JSON object, as text
};

/// What stands between a model's marks of a call: a JSON object with "name" and "arguments" (Hermes, Qwen;
/// "parameters": Llama 3.1), a list of those (Mistral), or <function=…><parameter=…> (Qwen3-Coder). Nothing
/// for another form.
std::optional<std::vector<ToolCall>> parseToolCalls(std::string_view text);

}  // namespace ingle::serve::api
