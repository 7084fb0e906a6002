#include "app/history/chats/stored_json.h"

#include "app/codec/engine_fields.h"
#include "app/history/chats/stored_values.h"

namespace ingle::history {
namespace {

using nlohmann::json;
using Writer = codec::Writer<codec::kStored>;
using Reader = codec::Reader<codec::kStored>;

/// Pairs of id and bias; what is none is left out.
struct Pairs {
    static constexpr const char* kExpected = "a list";

    static json write(const std::vector<LogitBias>& biases) {
        json pairs = json::array();
        for (const LogitBias& each : biases) pairs.push_back({each.id, each.bias});
        return pairs;
    }
    static std::optional<std::vector<LogitBias>> read(const json& pairs) {
        if (!pairs.is_array()) return std::nullopt;
        std::vector<LogitBias> biases;
        for (const json& each : pairs) {
            if (!each.is_array() || each.size() != 2) continue;
            const json bias{{"id", each[0]}, {"bias", each[1]}};
            Reader reader(bias);
            reader.optional("id", biases.emplace_back().id);
            reader.optional("bias", biases.back().bias);
        }
        return biases;
    }
};

template <typename V>
void storedFields(V& v, codec::Of<SamplerParams> auto& sampler) {
    numberFields(v, sampler);
    v.sparse("logitBias", codec::as<Pairs>(sampler.logitBias));
}

template <typename V>
void fields(V& v, codec::Of<AnswerTerms> auto& terms) {
    v.required("systemPrompt", terms.systemPrompt);
    v.optional("maxTokens", terms.maxTokens);
    v.sparse("whenFull", terms.whenFull);
    v.sparse("form", terms.form.kind);
    if (terms.form.kind != AnswerForm::Kind::Free) v.optional("formText", terms.form.text);
    v.sparse("contextLimit", terms.contextTokens);
    v.sparse("chatTemplate", terms.promptForm.chatTemplate);
    v.sparse("thinking", terms.promptForm.thinking);
}

}  // namespace

json SamplerJson::write(const SamplerParams& sampler) {
    Writer writer;
    storedFields(writer, sampler);
    return writer.take();
}

std::optional<SamplerParams> SamplerJson::read(const json& object) {
    if (!object.is_object()) return std::nullopt;
    SamplerParams sampler;
    Reader reader(object);
    storedFields(reader, sampler);
    return sampler;
}

json ReceiptJson::write(const AnswerReceipt& receipt) {
    Writer writer;
    if (receipt.terms) fields(writer, *receipt.terms);
    if (receipt.exists()) fields(writer, receipt.engine);
    return writer.take();
}

std::optional<AnswerReceipt> ReceiptJson::read(const json& object) {
    if (!object.is_object()) return std::nullopt;
    AnswerReceipt receipt;
    Reader reader(object);
    fields(reader, receipt.engine);
    if (object.contains("systemPrompt")) fields(reader, receipt.terms.emplace());
    return receipt;
}

std::string textsJson(const std::vector<std::string>& texts) {
    return codec::textOf(json(texts));
}

std::vector<std::string> textsFromJson(std::string_view text) {
    const json array = json::parse(text, nullptr, /*allow_exceptions=*/false);
    std::vector<std::string> texts;
    if (!array.is_array()) return texts;
    for (const json& each : array) texts.push_back(each.is_string() ? each.get<std::string>() : "");
    return texts;
}

}  // namespace ingle::history
