#include <fmt/format.h>

#include "app/serve/api/endpoint.h"
#include "app/serve/api/fields.h"
#include "app/serve/api/json_text.h"

namespace ingle::serve::api::detokenize_endpoint {
namespace {

constexpr size_t kMostIds = 100'000;

/// {"model", "tokens"}
struct Asked {
    std::string model;
    std::vector<TokenId> ids;
};

void read(Fields& fields, Asked& asked) {
    asked.model = fields.text("model").value_or("");
    fields.require("tokens");
    const auto* tokens = fields.list("tokens");
    if (tokens == nullptr) return;
    bool isFit = tokens->size() <= kMostIds;
    for (const auto& each : *tokens) {
        isFit = isFit && each.is_number_integer() && each >= 0 && each <= std::numeric_limits<TokenId>::max();
        if (!isFit) break;
        asked.ids.push_back(each.get<TokenId>());
    }
    if (!isFit)
        fields.complain(fmt::format("'tokens' must be a list of at most {} ids.", kMostIds), "tokens");
}

/// Under llama.cpp's name and under vLLM's.
http::Response responseOf(const std::string& text) {
    return jsonResponse(toText({{"content", text}, {"prompt", text}}));
}

void serve(Service& service, std::shared_ptr<http::Exchange> exchange) {
    const auto asked = readBody<Asked>(exchange->takeBody(), read);
    if (!asked) return exchange->reply(toResponse(asked.error()));
    const auto model = modelFor(service.room, asked->model, library::ModelPurpose::Chats);
    if (!model) return exchange->reply(toResponse(model.error()));
    if (asked->ids.empty()) return exchange->reply(responseOf(""));
    const auto ask = [&room = service.room, model = *model,
                      ids = asked->ids](client::Handlers<protocol::Count> handlers) {
        return room.ask(*model, protocol::Count{.ids = ids}, std::move(handlers));
    };
    const auto take = [](const protocol::Counted& counted) { return responseOf(counted.text); };
    std::make_shared<Questions<protocol::Count>>(service.room, *model, std::move(exchange), ask, take)
        ->begin();
}

}  // namespace

extern const Endpoint endpoint{.method = "POST", .path = "/detokenize", .serve = serve};

}  // namespace ingle::serve::api::detokenize_endpoint
