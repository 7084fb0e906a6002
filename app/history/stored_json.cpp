#include "app/history/stored_json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "app/history/stored_values.h"

namespace ingle::history {
namespace {

using nlohmann::json;

constexpr auto kReplaceIllFormed = json::error_handler_t::replace;

/// Calls `each(name, value)` for every parameter that is one number.
template <typename Sampler, typename Each>
void forEachNumber(Sampler& sampler, Each&& each) {
    each("temperature", sampler.temperature);
    each("topK", sampler.topK);
    each("typicalP", sampler.typicalP);
    each("topP", sampler.topP);
    each("minP", sampler.minP);
    each("repeatPenalty", sampler.repeatPenalty);
    each("frequencyPenalty", sampler.frequencyPenalty);
    each("presencePenalty", sampler.presencePenalty);
    each("lastN", sampler.lastN);
}

/// Calls `each(name, text)` for every text of a receipt.
template <typename Stored, typename Each>
void forEachText(Stored& receipt, Each&& each) {
    each("program", receipt.engine.program);
    each("modelPath", receipt.engine.modelPath);
    each("modelHash", receipt.engine.modelHash);
    each("backend", receipt.engine.backend);
    each("device", receipt.engine.device);
    each("instructions", receipt.engine.instructions);
}

template <typename Number>
void read(const json& value, Number& number) {
    if (!value.is_number()) return;
    const double read = value.get<double>();
    const bool fits = read >= static_cast<double>(std::numeric_limits<Number>::lowest()) &&
                      read <= static_cast<double>(std::numeric_limits<Number>::max());
    if (fits) number = static_cast<Number>(read);
}

}  // namespace

std::string samplerJson(const SamplerParams& sampler) {
    json object = json::object();
    forEachNumber(sampler, [&](const char* name, auto value) { object[name] = value; });
    if (!sampler.logitBias.empty()) {
        json& biases = object["logitBias"] = json::array();
        for (const LogitBias& each : sampler.logitBias) biases.push_back({each.id, each.bias});
    }
    return object.dump(-1, ' ', false, kReplaceIllFormed);
}

SamplerParams samplerFromJson(std::string_view text) {
    SamplerParams sampler;
    const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) return sampler;
    forEachNumber(sampler, [&](const char* name, auto& value) {
        if (const auto found = object.find(name); found != object.end()) read(*found, value);
    });
    const auto biases = object.find("logitBias");
    if (biases == object.end() || !biases->is_array()) return sampler;
    for (const json& each : *biases) {
        if (!each.is_array() || each.size() != 2) continue;
        LogitBias bias;
        read(each[0], bias.id);
        read(each[1], bias.bias);
        sampler.logitBias.push_back(bias);
    }
    return sampler;
}

std::string receiptJson(const AnswerReceipt& receipt) {
    json object = json::object();
    if (const auto& terms = receipt.terms) {
        object["systemPrompt"] = terms->systemPrompt;
        object["maxTokens"] = terms->maxTokens;
        if (terms->whenFull != WhenFull::DropOldest)
            object["whenFull"] = storedName(kWhenFullNames, terms->whenFull);
        if (terms->form.kind != AnswerForm::Kind::Free) {
            object["form"] = storedName(kAnswerFormNames, terms->form.kind);
            object["formText"] = terms->form.text;
        }
        if (terms->contextTokens > 0) object["contextLimit"] = terms->contextTokens;
        if (!terms->promptForm.chatTemplate.empty()) object["chatTemplate"] = terms->promptForm.chatTemplate;
        if (terms->promptForm.thinking != Thinking::AsUsual)
            object["thinking"] = storedName(kThinkingNames, terms->promptForm.thinking);
    }
    if (!receipt.exists()) return object.empty() ? "" : object.dump(-1, ' ', false, kReplaceIllFormed);
    const Receipt& engine = receipt.engine;
    forEachText(receipt, [&](const char* name, const std::string& text) { object[name] = text; });
    object["kv"] = storedName(kKvNames, engine.kv);
    object["activations"] = storedName(kActivationNames, engine.activations);
    object["referenceKernels"] = engine.referenceKernels;
    object["contextTokens"] = engine.contextTokens;
    object["overrides"] = engine.overrides;
    return object.dump(-1, ' ', false, kReplaceIllFormed);
}

AnswerReceipt receiptFromJson(std::string_view text) {
    AnswerReceipt receipt;
    const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) return receipt;
    const auto textOf = [&object](const char* name) {
        const auto found = object.find(name);
        return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const auto number = [&object](const char* name, auto& value) {
        if (const auto found = object.find(name); found != object.end()) read(*found, value);
    };
    forEachText(receipt, [&](const char* name, std::string& value) { value = textOf(name); });
    Receipt& engine = receipt.engine;
    engine.kv = fromStoredName(kKvNames, textOf("kv")).value_or(engine.kv);
    engine.activations = fromStoredName(kActivationNames, textOf("activations")).value_or(engine.activations);
    if (const auto flag = object.find("referenceKernels"); flag != object.end() && flag->is_boolean())
        engine.referenceKernels = flag->get<bool>();
    number("contextTokens", engine.contextTokens);
    if (object.contains("systemPrompt")) {
        AnswerTerms& terms = receipt.terms.emplace();
        terms.systemPrompt = textOf("systemPrompt");
        number("maxTokens", terms.maxTokens);
        terms.whenFull = fromStoredName(kWhenFullNames, textOf("whenFull")).value_or(terms.whenFull);
        terms.form.kind = fromStoredName(kAnswerFormNames, textOf("form")).value_or(terms.form.kind);
        if (terms.form.kind != AnswerForm::Kind::Free) terms.form.text = textOf("formText");
        number("contextLimit", terms.contextTokens);
        terms.promptForm.chatTemplate = textOf("chatTemplate");
        terms.promptForm.thinking =
            fromStoredName(kThinkingNames, textOf("thinking")).value_or(terms.promptForm.thinking);
    }
    if (const auto all = object.find("overrides"); all != object.end() && all->is_object()) {
        for (const auto& [key, value] : all->items())
            if (value.is_string()) engine.overrides[key] = value.get<std::string>();
    }
    return receipt;
}

std::string textsJson(const std::vector<std::string>& texts) {
    return json(texts).dump(-1, ' ', false, kReplaceIllFormed);
}

std::vector<std::string> textsFromJson(std::string_view text) {
    const json array = json::parse(text, nullptr, /*allow_exceptions=*/false);
    std::vector<std::string> texts;
    if (!array.is_array()) return texts;
    for (const json& each : array) texts.push_back(each.is_string() ? each.get<std::string>() : "");
    return texts;
}

}  // namespace ingle::history
