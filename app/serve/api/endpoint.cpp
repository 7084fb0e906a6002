#include "app/serve/api/endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "ingle/shown_text.h"

namespace ingle::serve::api {

namespace {

std::string_view withoutLastSlash(std::string_view path) {
    return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

bool isAt(const Endpoint& endpoint, std::string_view path) {
    constexpr std::string_view kVersion = "/v1";
    const bool isBeginning = endpoint.path.size() > 1 && endpoint.path.ends_with('/');
    if (isBeginning) return path.starts_with(endpoint.path);
    if (endpoint.path == path) return true;
    return endpoint.path.starts_with(kVersion) && endpoint.path.substr(kVersion.size()) == path;
}

}  // namespace

ErrorShape errorShapeOf(std::string_view path) {
    for (const Endpoint* each : allEndpoints())
        if (isAt(*each, withoutLastSlash(path))) return each->errors;
    return ErrorShape::OpenAi;
}

Expected<const Endpoint*> endpointFor(std::string_view method, std::string_view path) {
    std::string allow;
    for (const Endpoint* each : allEndpoints()) {
        if (!isAt(*each, withoutLastSlash(path))) continue;
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

namespace {

Expected<ModelPointer> onlyModelFor(const EngineRoom& room, library::ModelPurpose purpose) {
    const auto models = room.models().all();
    const auto isFit = [purpose](const ServedModel& model) { return model.purpose == purpose; };
    if (std::ranges::count_if(*models, isFit) != 1) return refuse("'model' is missing.", "model");
    return ModelPointer(models, &*std::ranges::find_if(*models, isFit));
}

}  // namespace

nlohmann::ordered_json describe(const ServedModel& model) {
    return {{"id", model.name},
            {"object", "model"},
            {"created", model.modifiedSeconds},
            {"owned_by", "inglenook"},
            {"type", model.purpose == library::ModelPurpose::Chats ? "llm" : "embeddings"}};
}

Expected<ModelPointer> modelFor(const EngineRoom& room, const std::string& name,
                                library::ModelPurpose purpose) {
    auto model = modelNamed(room, name);
    // Where one model is served, a name that is not known can mean no other.
    if (!model && (name.empty() || room.models().all()->size() == 1)) {
        auto only = onlyModelFor(room, purpose);
        if (only || name.empty()) return only;
    }
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
