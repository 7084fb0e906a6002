#include "app/serve/api/answer_request.h"
#include "app/serve/api/tool_calls.h"

/// Bodies of requests, and what models write as calls: read, or refused in one sentence.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    for (const auto& request :
         {ingle::serve::api::readChatRequest(bytes), ingle::serve::api::readCompletionRequest(bytes)})
        if (!request && request.error().message.empty()) __builtin_trap();
    (void)ingle::serve::api::parseToolCalls(bytes);  // any outcome but a crash
    return 0;
}
