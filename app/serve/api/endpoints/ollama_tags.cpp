#include <filesystem>

#include "app/serve/api/endpoint.h"
#include "app/serve/api/json_text.h"
#include "app/serve/api/ollama.h"

namespace ingle::serve::api::ollama_tags_endpoint {
namespace {

using json = nlohmann::ordered_json;

json tagOf(const ServedModel& model) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(model.path, error);
    // What stands in the file is told by /api/show.
    return {{"name", model.name},
            {"model", model.name},
            {"modified_at", timeText(model.modifiedSeconds)},
            {"size", error ? 0 : bytes},
            {"digest", ""},
            {"details",
             {{"parent_model", ""},
              {"format", ""},
              {"family", ""},
              {"families", json::array()},
              {"parameter_size", ""},
              {"quantization_level", ""}}}};
}

void serve(Service& service, std::shared_ptr<http::Exchange> exchange) {
    json list = json::array();
    const auto models = service.room.models().all();
    for (const ServedModel& model : *models) list.push_back(tagOf(model));
    exchange->reply(jsonResponse(toText({{"models", std::move(list)}})));
}

}  // namespace

extern const Endpoint endpoint{
    .method = "GET", .path = "/api/tags", .errors = ErrorShape::Ollama, .serve = serve};

}  // namespace ingle::serve::api::ollama_tags_endpoint
