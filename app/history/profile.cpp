#include "app/history/profile.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

#include "app/history/stored_values.h"

namespace ingle::history {
namespace {

using nlohmann::json;

json toJson(const AnswerForm& form) {
    return {{"kind", storedName(kAnswerFormNames, form.kind)}, {"text", form.text}};
}
json toJson(WhenFull whenFull) {
    return storedName(kWhenFullNames, whenFull);
}
json toJson(Thinking thinking) {
    return storedName(kThinkingNames, thinking);
}
template <typename T>
json toJson(const T& value) {
    return value;
}

void read(const json& value, std::optional<std::string>& field) {
    if (value.is_string()) field = value.get<std::string>();
}
void read(const json& value, std::optional<WhenFull>& field) {
    if (value.is_string()) field = fromStoredName(kWhenFullNames, value.get<std::string>());
}
void read(const json& value, std::optional<Thinking>& field) {
    if (value.is_string()) field = fromStoredName(kThinkingNames, value.get<std::string>());
}
void read(const json& value, std::optional<AnswerForm>& field) {
    if (!value.is_object()) return;
    const auto kind = value.find("kind"), text = value.find("text");
    if (kind == value.end() || !kind->is_string() || text == value.end() || !text->is_string()) return;
    if (const auto known = fromStoredName(kAnswerFormNames, kind->get<std::string>()))
        field = AnswerForm{*known, text->get<std::string>()};
}
/// None of these numbers is negative.
template <typename Number>
requires std::is_arithmetic_v<Number>
void read(const json& value, std::optional<Number>& field) {
    if (!value.is_number()) return;
    const double number = value.get<double>();
    if (number >= 0 && number <= static_cast<double>(std::numeric_limits<Number>::max()))
        field = static_cast<Number>(number);
}

}  // namespace

Profile layered(Profile below, const Profile& above) {
    forEachField(
        [](const char*, auto& under, const auto& over) {
            if (over) under = over;
        },
        below, above);
    return below;
}

std::string profileJson(const Profile& profile) {
    json object = json::object();
    forEachField(
        [&object](const char* name, const auto& field) {
            if (field) object[name] = toJson(*field);
        },
        profile);
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Profile profileFromJson(std::string_view text) {
    const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
    Profile profile;
    if (!object.is_object()) return profile;
    forEachField(
        [&object](const char* name, auto& field) {
            if (const auto found = object.find(name); found != object.end()) read(*found, field);
        },
        profile);
    return profile;
}

SamplerParams samplerOf(const Profile& profile, SamplerParams sampler) {
    const auto set = [](auto& parameter, const auto& field) {
        if (field) parameter = static_cast<std::remove_reference_t<decltype(parameter)>>(*field);
    };
    set(sampler.temperature, profile.temperature);
    set(sampler.topK, profile.topK);
    set(sampler.topP, profile.topP);
    set(sampler.minP, profile.minP);
    set(sampler.repeatPenalty, profile.repeatPenalty);
    return sampler;
}

AnswerTerms termsOf(const Profile& profile) {
    return {.systemPrompt = profile.systemPrompt.value_or(""),
            .maxTokens = profile.maxTokens.value_or(0),
            .contextTokens = profile.contextTokens.value_or(0),
            .whenFull = profile.whenFull.value_or(WhenFull::DropOldest),
            .form = profile.form.value_or(AnswerForm{}),
            .promptForm = {.chatTemplate = profile.chatTemplate.value_or(""),
                           .thinking = profile.thinking.value_or(Thinking::AsUsual)}};
}

}  // namespace ingle::history
