/// Ollama's API: POST /api/chat, GET /api/tags, POST /api/show.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/serve/api/answer_form.h"
#include "app/serve/api/answer_request.h"

namespace ingle::serve::api {

/// A stream, unless it says otherwise.
Expected<AnswerRequest> readOllamaChat(std::string_view body);
/// A stream is JSON objects, a line each.
std::unique_ptr<AnswerForm> ollamaChatForm();

/// "guide:latest" is "guide": the tag that Ollama's clients add.
std::string withoutTag(std::string name);
/// As RFC 3339 has it.
std::string timeText(int64_t secondsSince1970);

}  // namespace ingle::serve::api
