/// Anthropic's API of messages: POST /v1/messages.
#pragma once

#include <memory>
#include <string_view>

#include "app/serve/api/answer_form.h"
#include "app/serve/api/answer_request.h"

namespace ingle::serve::api {

Expected<AnswerRequest> readMessagesRequest(std::string_view body);
std::unique_ptr<AnswerForm> messagesForm();

}  // namespace ingle::serve::api
