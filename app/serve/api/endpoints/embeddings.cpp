#include <fmt/format.h>

#include <algorithm>
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
constexpr size_t kBytesAtOnce = 2048, kTokensAtOnce = 512;  ///< about what small models take of one text

struct Asked {
    std::string model;
    std::vector<std::string> texts;
    std::vector<std::vector<TokenId>> ids;  ///< in place of texts
    bool isBase64 = false;
    uint32_t dimensions = 0;  ///< 0: all
    size_t count() const { return texts.size() + ids.size(); }
    TextUse use = TextUse::Alone;
    bool isShortened = false;  ///< of a text that is too long the beginning counts
};

bool isToken(const json& value) {
    return value.is_number_unsigned() && value.get<uint64_t>() <= INT32_MAX;
}

/// False: it is none of what `input` may be.
bool readInput(const json& input, Asked& asked) {
    const bool isOne = input.is_string() || (input.is_array() && !input.empty() && isToken(input.front()));
    const json list = isOne ? json::array({input}) : input;
    if (!list.is_array() || list.empty() || list.size() > kMostTexts) return false;
    for (const json& each : list) {
        if (each.empty() || (each.is_string() && each.get_ref<const std::string&>().empty())) return false;
        if (each.is_string())
            asked.texts.push_back(each.get<std::string>());
        else if (each.is_array() && std::ranges::all_of(each, isToken))
            asked.ids.push_back(each.get<std::vector<TokenId>>());
        else
            return false;
    }
    return asked.texts.empty() || asked.ids.empty();
}

void read(Fields& fields, Asked& asked) {
    asked.model = fields.text("model").value_or("");
    fields.ignoreHints();
    fields.require("input");
    if (const json* input = fields.any("input")) {
        if (!readInput(*input, asked))
            fields.complain(
                fmt::format("'input' must be a text or a list of tokens, or 1 to {} of either.", kMostTexts),
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
    if (embedded.rows.size() != asked.count() * rowBytes)
        return toResponse({.status = 500, .message = "The engine answered something else."});
    json data = json::array();
    for (size_t index = 0; index < asked.count(); ++index) {
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
        return {.texts = some(asked.texts, kBytesAtOnce),
                .use = asked.use,
                .dimensions = asked.dimensions,
                .refusesLong = !asked.isShortened,
                .ids = some(asked.ids, kTokensAtOnce)};
    }

    template <typename Text>
    std::vector<Text> some(const std::vector<Text>& all, size_t most) {
        std::vector<Text> next;
        for (size_t size = 0;
             numAsked < all.size() && (next.empty() || size + all[numAsked].size() <= most);) {
            size += all[numAsked].size();
            next.push_back(all[numAsked++]);
        }
        return next;
    }

    std::optional<http::Response> take(const protocol::Embedded& more) {
        embedded.dim = more.dim;
        embedded.tokens += more.tokens;
        embedded.rows += more.rows;
        if (numAsked < asked.count()) return std::nullopt;
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
