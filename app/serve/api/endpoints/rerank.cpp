#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "app/serve/api/endpoint.h"
#include "app/serve/api/fields.h"
#include "app/serve/api/json_text.h"

namespace ingle::serve::api::rerank_endpoint {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kMostDocuments = 256;

/// As Jina's and Cohere's servers have it: {"model", "query", "documents", "top_n", "return_documents"}
struct Asked {
    std::string model;
    std::string query;
    std::vector<std::string> documents;
    size_t most = 0;  ///< of the best ones
    bool showsDocuments = false;
};

void read(Fields& fields, Asked& asked) {
    asked.model = fields.text("model").value_or("");
    fields.ignoreHints();
    asked.query = fields.requiredText("query");
    if (asked.query.empty()) fields.complain("'query' must not be empty.", "query");
    fields.require("documents");
    if (const json* documents = fields.list("documents")) {
        bool isFit = !documents->empty() && documents->size() <= kMostDocuments;
        for (const json& each : *documents) {
            isFit = isFit && each.is_string();
            if (isFit) asked.documents.push_back(each.get<std::string>());
        }
        if (!isFit)
            fields.complain(fmt::format("'documents' must be a list of 1 to {} texts.", kMostDocuments),
                            "documents");
    }
    asked.most = static_cast<size_t>(
        fields.integer("top_n", 1, INT32_MAX).value_or(static_cast<int64_t>(asked.documents.size())));
    asked.showsDocuments = fields.boolean("return_documents").value_or(false);
}

/// The documents are scored one at a time: meanwhile answers of others go on.
struct Run {
    const Asked asked;
    const std::string model;
    size_t numAsked = 0;
    uint32_t tokens = 0;
    std::vector<std::pair<float, size_t>> scores = {};  ///< with the documents' numbers

    protocol::Embed next() { return {.texts = {asked.documents[numAsked++]}, .query = asked.query}; }

    std::optional<http::Response> take(const protocol::Embedded& scored) {
        float score = 0;
        if (scored.rows.size() != sizeof score)
            return toResponse({.status = 500, .message = "The engine answered something else."});
        std::memcpy(&score, scored.rows.data(), sizeof score);
        scores.emplace_back(score, scores.size());
        tokens += scored.tokens;
        if (numAsked < asked.documents.size()) return std::nullopt;
        return response();
    }

    http::Response response() {
        std::ranges::stable_sort(scores, std::ranges::greater(), &std::pair<float, size_t>::first);
        json results = json::array();
        for (const auto& [score, index] : scores) {
            if (results.size() == asked.most) break;
            json result{{"index", index}, {"relevance_score", score}};
            if (asked.showsDocuments) result["document"] = {{"text", asked.documents[index]}};
            results.push_back(std::move(result));
        }
        return jsonResponse(toText({{"object", "list"},
                                    {"model", model},
                                    {"results", std::move(results)},
                                    {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}}));
    }
};

void serve(Service& service, std::shared_ptr<http::Exchange> exchange) {
    const auto asked = readBody<Asked>(exchange->takeBody(), read);
    if (!asked) return exchange->reply(toResponse(asked.error()));
    const auto model = modelFor(service.room, asked->model, library::ModelPurpose::Embeddings);
    if (!model) return exchange->reply(toResponse(model.error()));
    const auto run = std::make_shared<Run>(Run{*asked, (*model)->name});
    const auto ask = [&room = service.room, model = *model, run](client::Handlers<protocol::Embed> handlers) {
        return room.embed(*model, run->next(), std::move(handlers));
    };
    const auto take = [run](const protocol::Embedded& scored) { return run->take(scored); };
    std::make_shared<Questions<protocol::Embed>>(service.room, *model, std::move(exchange), ask, take)
        ->begin();
}

}  // namespace

extern const Endpoint endpoint{.method = "POST", .path = "/v1/rerank", .serve = serve};

}  // namespace ingle::serve::api::rerank_endpoint
