#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "app/serve/api/endpoint.h"
#include "app/serve/api/fields.h"
#include "app/serve/api/json_text.h"
#include "ingle/base64.h"

namespace ingle::serve::api::embeddings_endpoint {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kMostTexts = 256;
constexpr size_t kBytesAtOnce = 2048;  ///< about as many tokens as small models take of one text

struct Asked {
    std::string model;
    std::vector<std::string> texts;
    bool isBase64 = false;
    uint32_t dimensions = 0;  ///< 0: all
    TextUse use = TextUse::Alone;
    bool isShortened = false;  ///< of a text that is too long the beginning counts
};

void read(Fields& fields, Asked& asked) {
    asked.model = fields.text("model").value_or("");
    fields.ignoreHints();
    fields.require("input");
    if (const json* input = fields.any("input")) {
        const json list = input->is_string() ? json::array({*input}) : *input;
        bool isFit = list.is_array() && !list.empty() && list.size() <= kMostTexts;
        if (isFit) {
            for (const json& each : list) {
                isFit = isFit && each.is_string() && !each.get_ref<const std::string&>().empty();
                if (isFit) asked.texts.push_back(each.get<std::string>());
            }
        }
        if (!isFit)
            fields.complain(fmt::format("'input' must be a text, or a list of 1 to {} texts.", kMostTexts),
                            "input");
    }
    const std::string format = fields.text("encoding_format").value_or("float");
    asked.isBase64 = format == "base64";
    if (format != "float" && !asked.isBase64)
        fields.complain("'encoding_format' must be float or base64.", "encoding_format");
    asked.dimensions = static_cast<uint32_t>(fields.integer("dimensions", 1, INT32_MAX).value_or(0));
    // As other servers call it, for models that were trained with words in front of texts.
    const std::string type = fields.text("input_type").value_or("");
    if (type == "query") {
        asked.use = TextUse::Query;
    } else if (type == "document" || type == "passage") {
        asked.use = TextUse::Document;
    } else if (!type.empty()) {
        fields.complain("'input_type' must be query or document.", "input_type");
    }
    asked.isShortened = fields.boolean("truncate").value_or(false);
}

http::Response responseOf(const protocol::Embedded& embedded, const Asked& asked, const std::string& model) {
    static_assert(std::endian::native == std::endian::little);
    const size_t rowBytes = embedded.dim * sizeof(float);
    if (embedded.rows.size() != asked.texts.size() * rowBytes)
        return toResponse({.status = 500, .message = "The engine answered something else."});
    json data = json::array();
    for (size_t index = 0; index < asked.texts.size(); ++index) {
        const std::string row = embedded.rows.substr(index * rowBytes, rowBytes);
        json embedding;
        if (asked.isBase64) {
            embedding = toBase64(row);
        } else {
            std::vector<float> values(embedded.dim);
            std::memcpy(values.data(), row.data(), row.size());
            embedding = values;
        }
        data.push_back({{"object", "embedding"}, {"index", index}, {"embedding", std::move(embedding)}});
    }
    return jsonResponse(
        toText({{"object", "list"},
                {"data", std::move(data)},
                {"model", model},
                {"usage", {{"prompt_tokens", embedded.tokens}, {"total_tokens", embedded.tokens}}}}));
}

/// The texts go to the engine a few at a time: while it reads them it writes nobody's answer.
struct Run {
    const Asked asked;
    const std::string model;
    size_t numAsked = 0;
    protocol::Embedded embedded = {};  ///< so far

    protocol::Embed next() {
        return {.texts = nextTexts(),
                .use = asked.use,
                .dimensions = asked.dimensions,
                .refusesLong = !asked.isShortened};
    }

    std::vector<std::string> nextTexts() {
        std::vector<std::string> texts;
        size_t bytes = 0;
        do {
            bytes += asked.texts[numAsked].size();
            texts.push_back(asked.texts[numAsked++]);
        } while (numAsked < asked.texts.size() && bytes + asked.texts[numAsked].size() <= kBytesAtOnce);
        return texts;
    }

    std::optional<http::Response> take(const protocol::Embedded& more) {
        embedded.dim = more.dim;
        embedded.tokens += more.tokens;
        embedded.rows += more.rows;
        if (numAsked < asked.texts.size()) return std::nullopt;
        return responseOf(embedded, asked, model);
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
    const auto take = [run](const protocol::Embedded& embedded) { return run->take(embedded); };
    std::make_shared<Questions<protocol::Embed>>(service.room, *model, std::move(exchange), ask, take)
        ->begin();
}

}  // namespace

extern const Endpoint endpoint{.method = "POST", .path = "/v1/embeddings", .serve = serve};

}  // namespace ingle::serve::api::embeddings_endpoint
