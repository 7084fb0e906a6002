#include "app/serve/api/endpoint.h"
#include "app/serve/api/fields.h"
#include "app/serve/api/json_text.h"

namespace ingle::serve::api::tokenize_endpoint {
namespace {

/// {"model", "content" (llama.cpp's name) or "prompt" (vLLM's), "add_special" or "add_special_tokens"}
struct Asked {
    std::string model;
    protocol::Count count{.withIds = true};
};

void read(Fields& fields, Asked& asked) {
    asked.model = fields.text("model").value_or("");
    fields.ignoreHints();
    const auto content = fields.text("content"), prompt = fields.text("prompt");
    if (content.has_value() == prompt.has_value())
        fields.complain("Either 'content' or 'prompt' has to say the text.", "content");
    asked.count.text = content.value_or(prompt.value_or(""));
    if (asked.count.text.size() > kMostCutBytes)
        fields.complain("The text can have 1 MiB at most.", content ? "content" : "prompt");
    const auto addSpecial = fields.boolean("add_special"), theirs = fields.boolean("add_special_tokens");
    asked.count.addSpecial = addSpecial.value_or(theirs.value_or(false));
}

http::Response responseOf(const protocol::Counted& counted) {
    return jsonResponse(toText({{"tokens", counted.ids}, {"count", counted.tokens}}));
}

void serve(Service& service, std::shared_ptr<http::Exchange> exchange) {
    const auto asked = readBody<Asked>(exchange->takeBody(), read);
    if (!asked) return exchange->reply(toResponse(asked.error()));
    const auto model = modelFor(service.room, asked->model, library::ModelPurpose::Chats);
    if (!model) return exchange->reply(toResponse(model.error()));
    const auto ask = [&room = service.room, model = *model,
                      count = asked->count](client::Handlers<protocol::Count> handlers) {
        return room.ask(*model, count, std::move(handlers));
    };
    std::make_shared<Questions<protocol::Count>>(service.room, *model, std::move(exchange), ask, responseOf)
        ->begin();
}

}  // namespace

extern const Endpoint endpoint{.method = "POST", .path = "/tokenize", .serve = serve};

}  // namespace ingle::serve::api::tokenize_endpoint
