#include "app/serve/api/endpoint.h"
#include "app/serve/api/fields.h"
#include "app/serve/api/json_text.h"

namespace ingle::serve::api {
namespace {

/// {"model", "content" (llama.cpp's name) or "prompt" (vLLM's), "add_special" or "add_special_tokens"}
struct Asked {
    std::string model;
    protocol::Count count{.withIds = true};
};

Expected<Asked> read(std::string_view body) {
    auto parsed = parseBody(body);
    if (!parsed) return tl::unexpected(parsed.error());
    Fields fields(*parsed);
    Asked asked;
    fields.require("model");
    asked.model = fields.text("model").value_or("");
    const auto content = fields.text("content"), prompt = fields.text("prompt");
    if (content.has_value() == prompt.has_value())
        fields.complain("Either 'content' or 'prompt' has to say the text.", "content");
    asked.count.text = content.value_or(prompt.value_or(""));
    const auto addSpecial = fields.boolean("add_special"), theirs = fields.boolean("add_special_tokens");
    asked.count.addSpecial = addSpecial.value_or(theirs.value_or(false));
    if (auto whole = fields.finish(); !whole) return tl::unexpected(whole.error());
    return asked;
}

void serve(Service& service, std::shared_ptr<http::Exchange> exchange) {
    auto asked = read(exchange->request().body);
    if (!asked) return exchange->reply(toResponse(asked.error()));
    const auto model = modelFor(service.room, asked->model, library::ModelPurpose::Chats);
    if (!model) return exchange->reply(toResponse(model.error()));
    if (auto entered = enter(service.room, 1); !entered) return exchange->reply(toResponse(entered.error()));
    const auto counted = [&room = service.room, exchange](const client::Outcome<protocol::Count>& outcome) {
        room.leave();
        if (outcome)
            exchange->reply(jsonResponse(toText({{"tokens", outcome->ids}, {"count", outcome->tokens}})));
        else
            exchange->reply(toResponse(fromEngine(outcome.error().error)));
    };
    const auto id = service.room.ask(**model, std::move(asked->count), {.finished = counted});
    exchange->onGone([&room = service.room, id] { room.cancel(id); });
}

}  // namespace

extern const Endpoint tokenize_endpoint;
const Endpoint tokenize_endpoint{.method = "POST", .path = "/tokenize", .serve = serve};

}  // namespace ingle::serve::api
