/// What is asked for by a request for answers, whichever endpoint it came to.
#pragma once

#include <string>
#include <string_view>

#include "app/serve/api/choice.h"
#include "app/serve/api/fields.h"
#include "ingle/types.h"

namespace ingle::serve::api {

struct AnswerRequest {
    std::string model;
    GenerateRequest generate;
    unsigned answers = 1;  ///< `n`
    bool isStreamed = false;
    bool withUsage = false;  ///< of a stream: its numbers come last
    Calls calls = Calls::AsWritten;
    bool withChances = false;
    unsigned top = 0;  ///< of each token so many others are told
};

/// Of POST /v1/chat/completions.
Expected<AnswerRequest> readChatRequest(std::string_view body);
/// Of POST /v1/completions.
Expected<AnswerRequest> readCompletionRequest(std::string_view body);

}  // namespace ingle::serve::api
