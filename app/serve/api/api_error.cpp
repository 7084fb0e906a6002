#include "app/serve/api/api_error.h"

#include <nlohmann/json.hpp>

#include "app/serve/api/json_text.h"
#include "ingle/error_ids.h"

namespace ingle::serve::api {
namespace {

int statusOf(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
        case ErrorCode::Unsupported:
            return 400;
        case ErrorCode::OutOfMemory:
        case ErrorCode::Cancelled:
            return 503;
        case ErrorCode::Io:
        case ErrorCode::Corrupt:
        case ErrorCode::Device:
            break;
    }
    return 500;
}

std::string_view typeOf(int status) {
    switch (status) {
        case 401:
            return "authentication_error";
        case 403:
            return "permission_error";
        case 404:
            return "not_found_error";
        case 429:
            return "rate_limit_error";
        default:
            return status < 500 ? "invalid_request_error" : "server_error";
    }
}

nlohmann::ordered_json orNull(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace

ApiError fromEngine(const Error& error) {
    ApiError said{.status = statusOf(error.code), .message = error.message};
    const bool isTooLong = error.id == errorIdInfo(ErrorId::MessageTooLong).name ||
                           error.id == errorIdInfo(ErrorId::ConversationFull).name;
    // As OpenAI's own servers call it: clients look for it.
    said.code = isTooLong ? "context_length_exceeded" : error.id;
    return said;
}

std::string errorObject(const ApiError& error) {
    return toText({{"error",
                    {{"message", error.message},
                     {"type", typeOf(error.status)},
                     {"param", orNull(error.param)},
                     {"code", orNull(error.code)}}}});
}

http::Response toResponse(const ApiError& error) {
    http::Response response{.status = error.status,
                            .body = errorObject(error),
                            .headers = {{"Content-Type", "application/json"}}};
    if (error.retryAfterSeconds > 0)
        response.headers.emplace_back("Retry-After", std::to_string(error.retryAfterSeconds));
    if (error.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
}

}  // namespace ingle::serve::api
