#include "app/history/chats/profile.h"

#include <type_traits>

#include "app/codec/codec.h"
#include "app/history/chats/stored_values.h"

namespace ingle::history {
template <typename V>
void fields(V& v, codec::Of<AnswerForm> auto& form) {
    v.required("kind", form.kind);
    v.required("text", form.text);
}
template <typename V>
void fields(V& v, codec::Of<Profile> auto& profile) {
    forEachField([&v](const char* name, auto& field) { v.sparse(name, field); }, profile);
}

Profile layered(Profile below, const Profile& above) {
    forEachField(
        [](const char*, auto& under, const auto& over) {
            if (over) under = over;
        },
        below, above);
    return below;
}

std::string profileJson(const Profile& profile) {
    codec::Writer<codec::kStored> writer;
    fields(writer, profile);
    return codec::textOf(writer.take());
}

Profile profileFromJson(std::string_view text) {
    Profile profile;
    const auto object = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    codec::Reader<codec::kStored> reader(object);
    fields(reader, profile);
    // None of these numbers is negative.
    forEachField(
        []<typename T>(const char*, std::optional<T>& field) {
            if constexpr (std::is_signed_v<T>)
                if (field && *field < 0) field.reset();
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
