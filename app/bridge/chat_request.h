/// A request of the host protocol as one of OpenAI's interface for chats.
/// Source: OpenAI API reference, "Create chat completion"; of vLLM's OpenAI-compatible server
/// `chat_template_kwargs`, `continue_final_message` and `add_generation_prompt`.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::bridge {

/// Messages are content alone; calls of tools and what these said become what the interface has for them,
/// where the call can be read, and stand in the text where it cannot. Thoughts of earlier answers are left
/// out.
nlohmann::json chatMessages(std::span<const ChatMessage> messages);

/// The body of POST /chat/completions, streaming. Errors: Unsupported (ids, raw texts, grammars, templates,
/// chances: what a server far away does not take or tell), InvalidArgument (a schema or tools that are no
/// JSON).
Result<nlohmann::json> chatRequest(const GenerateRequest& request, const std::string& model);

/// The same, to go on with an answer that has `text` already. `tokens`: about how many that took.
nlohmann::json continuedRequest(nlohmann::json request, const std::string& text, uint32_t tokens);

/// Whether a refusal names what continuedRequest() adds.
bool refusesToContinue(std::string_view refusal);

}  // namespace ingle::bridge
