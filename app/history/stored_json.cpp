#include "app/history/stored_json.h"

#include <limits>
#include <nlohmann/json.hpp>

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
