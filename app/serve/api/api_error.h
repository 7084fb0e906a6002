/// Errors as each API has them.
#pragma once

#include <chrono>
#include <string>
#include <tl/expected.hpp>

#include "app/serve/engine/models.h"
#include "app/serve/http/message.h"
#include "ingle/result.h"

namespace ingle::serve::api {

struct ApiError {
    int status = 400;
    std::string message;     ///< one sentence; its first letter and its end are seen to
    std::string param = {};  ///< the field of the request that it speaks of; empty: null
    std::string code = {};   ///< for programs: "model_not_found"; empty: null
    int retryAfterSeconds = 0;
    std::string allow = {};  ///< methods that the path takes, of a 405
};

template <typename T>
using Expected = tl::expected<T, ApiError>;

inline tl::unexpected<ApiError> refuse(std::string message, std::string param = {}, std::string code = {}) {
    return tl::unexpected<ApiError>(
        ApiError{.message = std::move(message), .param = std::move(param), .code = std::move(code)});
}

/// What the engine said of a model, with the status that suits it. Clients know the model by its name, and
/// are not told where its files are.
ApiError fromEngine(const Error& error, const ServedModel& model);

/// Of what was to be there within so long.
ApiError tooLate(std::chrono::seconds limit);

/// Whose form errors have.
enum class ErrorShape {
    OpenAi,     ///< {"error": {"message", "type", "param", "code"}}
    Anthropic,  ///< {"type": "error", "error": {"type", "message"}}
    Ollama,     ///< {"error": message}
};

/// An error as JSON.
std::string errorObject(const ApiError& error, ErrorShape shape = ErrorShape::OpenAi);
http::Response toResponse(const ApiError& error, ErrorShape shape = ErrorShape::OpenAi);

}  // namespace ingle::serve::api
