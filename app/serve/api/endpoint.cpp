#include "app/serve/api/endpoint.h"

#include <fmt/format.h>

#include "ingle/shown_text.h"

namespace ingle::serve::api {

Expected<const Endpoint*> endpointFor(std::string_view method, std::string_view path) {
    std::string allow;
    for (const Endpoint* each : allEndpoints()) {
        const bool isBeginning = each->path.size() > 1 && each->path.ends_with('/');
        if (isBeginning ? !path.starts_with(each->path) : each->path != path) continue;
        allow += fmt::format("{}{}", allow.empty() ? "" : ", ",
                             each->method == "GET" ? "GET, HEAD" : each->method);
        // An answer to HEAD is one to GET without its body, which the server leaves out.
        if (each->method == method || (method == "HEAD" && each->method == "GET")) return each;
    }
    const bool isKnown = !allow.empty();
    ApiError error{.status = isKnown ? 405 : 404, .code = isKnown ? "method_not_allowed" : "unknown_url"};
    error.message = isKnown ? fmt::format("{} does not take {}.", shown(path), shown(method))
                            : fmt::format("There is no {} here.", shown(path));
    error.allow = std::move(allow);
    return tl::unexpected(error);
}

Expected<ModelPointer> modelNamed(const EngineRoom& room, const std::string& name) {
    if (ModelPointer model = room.models().find(name)) return model;
    return tl::unexpected(ApiError{.status = 404,
                                   .message = fmt::format("There is no model '{}'.", shown(name)),
                                   .param = "model",
                                   .code = "model_not_found"});
}

nlohmann::ordered_json describe(const ServedModel& model) {
    return {{"id", model.name},
            {"object", "model"},
            {"created", model.modifiedSeconds},
            {"owned_by", "inglenook"},
            {"type", model.purpose == library::ModelPurpose::Chats ? "llm" : "embeddings"}};
}

Expected<ModelPointer> modelFor(const EngineRoom& room, const std::string& name,
                                library::ModelPurpose purpose) {
    const auto model = modelNamed(room, name);
    if (!model) return model;
    if ((*model)->purpose != purpose)
        return refuse(
            fmt::format("The model '{}' {}.", shown(name),
                        purpose == library::ModelPurpose::Chats ? "compares texts and writes none"
                                                                : "writes answers and compares no texts"),
            "model", "model_not_suited");
    return model;
}

Expected<void> enter(EngineRoom& room, unsigned answers) {
    if (answers > room.mostAnswers())
        return refuse(fmt::format("'n' can be {} here at most.", room.mostAnswers()), "n");
    if (room.enter(answers)) return {};
    if (room.isClosing())
        return tl::unexpected(
            ApiError{.status = 503, .message = "The server is ending.", .code = "shutting_down"});
    return tl::unexpected(ApiError{.status = 429,
                                   .message = "As many answers as are allowed are under way.",
                                   .code = "queue_full",
                                   .retryAfterSeconds = static_cast<int>(room.retryAfter().count())});
}

http::Response jsonResponse(std::string body) {
    return {.status = 200, .body = std::move(body), .headers = {{"Content-Type", "application/json"}}};
}

}  // namespace ingle::serve::api
