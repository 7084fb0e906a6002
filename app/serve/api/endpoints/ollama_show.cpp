#include <fmt/format.h>

#include "app/serve/api/endpoint.h"
#include "app/serve/api/fields.h"
#include "app/serve/api/json_text.h"
#include "app/serve/api/ollama.h"

namespace ingle::serve::api::ollama_show_endpoint {
namespace {

using json = nlohmann::ordered_json;

struct Asked {
    std::string model;
};

void read(Fields& fields, Asked& asked) {
    const auto model = fields.text("model"), name = fields.text("name");
    asked.model = withoutTag(model.value_or(name.value_or("")));
    if (asked.model.empty()) fields.complain("'model' is missing.", "model");
    for (const char* ignored : {"verbose", "system", "template", "options"}) fields.ignore(ignored);
}

std::string sizeText(uint64_t numParameters) {
    const auto number = static_cast<double>(numParameters);
    return number >= 1e9 ? fmt::format("{:.1f}B", number / 1e9) : fmt::format("{:.1f}M", number / 1e6);
}

json capabilitiesOf(const ServedModel& model, const ModelInfo& info) {
    if (model.purpose != library::ModelPurpose::Chats) return json::array({"embedding"});
    json capabilities = json::array({"completion", "tools"});
    if (info.chatTemplate.find("think") != std::string::npos) capabilities.push_back("thinking");
    if (info.seesPictures) capabilities.push_back("vision");
    return capabilities;
}

http::Response responseOf(const ServedModel& model, const ModelInfo& info) {
    const std::string& family = info.family;
    return jsonResponse(toText({{"modelfile", ""},
                                {"parameters", ""},
                                {"template", info.chatTemplate},
                                {"details",
                                 {{"parent_model", ""},
                                  {"format", info.format},
                                  {"family", family},
                                  {"families", json::array({family})},
                                  {"parameter_size", sizeText(info.numParameters)},
                                  {"quantization_level", mainQuant(info)}}},
                                {"model_info",
                                 {{"general.architecture", family},
                                  {"general.parameter_count", info.numParameters},
                                  {family + ".context_length", info.trainedContext},
                                  {family + ".embedding_length", info.dim},
                                  {family + ".block_count", info.numLayers}}},
                                {"capabilities", capabilitiesOf(model, info)},
                                {"modified_at", timeText(model.modifiedSeconds)}}));
}

void serve(Service& service, std::shared_ptr<http::Exchange> exchange) {
    const auto refuse = [&](const ApiError& error) {
        exchange->reply(toResponse(error, ErrorShape::Ollama));
    };
    const auto asked = readBody<Asked>(exchange->takeBody(), read);
    if (!asked) return refuse(asked.error());
    const auto model = modelNamed(service.room, asked->model);
    if (!model) return refuse(model.error());
    const auto ask = [&room = service.room, model = *model](client::Handlers<protocol::Inspect> handlers) {
        return room.inspect(*model, std::move(handlers));
    };
    const auto take = [model = *model](const protocol::Inspected& inspected) {
        return responseOf(*model, inspected.info);
    };
    std::make_shared<Questions<protocol::Inspect>>(service.room, *model, std::move(exchange), ask, take,
                                                   ErrorShape::Ollama)
        ->begin();
}

}  // namespace

extern const Endpoint endpoint{
    .method = "POST", .path = "/api/show", .errors = ErrorShape::Ollama, .serve = serve};

}  // namespace ingle::serve::api::ollama_show_endpoint
