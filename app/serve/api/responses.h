/// OpenAI's API of responses: POST /v1/responses.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/serve/api/answer_form.h"
#include "app/serve/api/answer_request.h"

namespace ingle::serve::api {

struct ResponsesRequest {
    AnswerRequest answer;
    nlohmann::ordered_json echoed;  ///< fields of the request that an answer repeats
};

Expected<ResponsesRequest> readResponsesRequest(std::string_view body);

/// `echoed`: as the request has it.
std::unique_ptr<AnswerForm> responsesForm(nlohmann::ordered_json echoed = nlohmann::ordered_json::object());

}  // namespace ingle::serve::api
