#include "app/serve/api/api_error.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/serve/api/json_text.h"
#include "ingle/error_ids.h"
#include "ingle/shown_text.h"

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

std::string_view anthropicTypeOf(int status) {
    switch (status) {
        case 413:
            return "request_too_large";
        case 503:
            return "overloaded_error";
        case 504:
            return "timeout_error";
        default:
            return status < 500 ? typeOf(status) : "api_error";
    }
}

/// What the engine says may begin and end as in a log. Names, of fields and of files, stay as they are.
std::string sentence(std::string text) {
    const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
    const bool isWord = end > 0 && (end == text.npos || text[end] == ' ' || text[end] == ',');
    if (isWord && !text.empty()) text[0] = static_cast<char>(text[0] - 'a' + 'A');
    constexpr std::string_view kEnds[] = {".", "!", "?", "\u2026"};
    if (std::ranges::none_of(kEnds, [&text](std::string_view mark) { return text.ends_with(mark); }))
        text += '.';
    return text;
}

/// What the engine says begins with the path of a file: the model's, or one in its folder.
std::string withoutFolder(const std::string& text, const ServedModel& model) {
    const std::string path = escaped(model.path);
    if (text.starts_with(path + ':'))
        return fmt::format("'{}'{}", shown(model.name), text.substr(path.size()));
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    return text.starts_with(folder) ? text.substr(folder.size()) : text;
}

nlohmann::ordered_json orNull(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace

ApiError fromEngine(const Error& error, const ServedModel& model) {
    ApiError said{.status = statusOf(error.code), .message = withoutFolder(error.message, model)};
    const bool isTooLong = error.id == errorIdInfo(ErrorId::MessageTooLong).name ||
                           error.id == errorIdInfo(ErrorId::ConversationFull).name;
    // As OpenAI's own servers call it: clients look for it.
    said.code = isTooLong ? "context_length_exceeded" : error.id;
    // It came with the request.
    if (error.id == errorIdInfo(ErrorId::PictureDamaged).name) said.status = 400;
    // What it is for was not known.
    if (error.id == errorIdInfo(ErrorId::OnlyEmbeds).name)
        return {.message = "The model compares texts and writes none.",
                .param = "model",
                .code = "model_not_suited"};
    return said;
}

ApiError tooLate(std::chrono::seconds limit) {
    return {.status = 504,
            .message = fmt::format("The answer took longer than {} seconds.", limit.count()),
            .code = "timeout"};
}

std::string errorObject(const ApiError& error, ErrorShape shape) {
    const std::string message = sentence(error.message);
    switch (shape) {
        case ErrorShape::Ollama:
            return toText({{"error", message}});
        case ErrorShape::Anthropic:
            return toText({{"type", "error"},
                           {"error", {{"type", anthropicTypeOf(error.status)}, {"message", message}}}});
        case ErrorShape::OpenAi:
            break;
    }
    return toText({{"error",
                    {{"message", message},
                     {"type", typeOf(error.status)},
                     {"param", orNull(error.param)},
                     {"code", orNull(error.code)}}}});
}

http::Response toResponse(const ApiError& error, ErrorShape shape) {
    http::Response response{.status = error.status,
                            .body = errorObject(error, shape),
                            .headers = {{"Content-Type", "application/json"}}};
    if (error.retryAfterSeconds > 0)
        response.headers.emplace_back("Retry-After", std::to_string(error.retryAfterSeconds));
    if (!error.allow.empty()) response.headers.emplace_back("Allow", error.allow);
    if (error.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
}

}  // namespace ingle::serve::api
