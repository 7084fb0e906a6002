/// Layers of what a person sets for answers: the settings, then a model, a folder and a conversation, each
/// over those before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingle/types.h"

namespace ingle::history {

/// What an answer has to follow.
struct AnswerForm {
    enum class Kind { Free, JsonSchema, Grammar };
    Kind kind = Kind::Free;
    std::string text;  ///< the schema, or the grammar in GBNF

    bool operator==(const AnswerForm&) const = default;
};

/// One layer: what is not set is as below it.
struct Profile {
    std::optional<std::string> systemPrompt;
    std::optional<double> temperature;  ///< from 0 on
    std::optional<int> topK;            ///< 0: all
    std::optional<double> topP;         ///< 0 to 1
    std::optional<double> minP;         ///< 0 to 1
    std::optional<double> repeatPenalty;
    std::optional<uint32_t> maxTokens;      ///< of an answer; 0: no limit
    std::optional<uint32_t> contextTokens;  ///< to be used at most; 0: all that the model has
    std::optional<WhenFull> whenFull;
    std::optional<Thinking> thinking;
    std::optional<AnswerForm> form;
    std::optional<std::string> chatTemplate;  ///< Jinja; empty: the model's own

    bool operator==(const Profile&) const = default;
};

/// Calls `each(name, field...)` for every field, with that of each of the profiles.
template <typename Each, typename... Profiles>
void forEachField(Each&& each, Profiles&... profiles) {
    each("systemPrompt", profiles.systemPrompt...);
    each("temperature", profiles.temperature...);
    each("topK", profiles.topK...);
    each("topP", profiles.topP...);
    each("minP", profiles.minP...);
    each("repeatPenalty", profiles.repeatPenalty...);
    each("maxTokens", profiles.maxTokens...);
    each("contextTokens", profiles.contextTokens...);
    each("whenFull", profiles.whenFull...);
    each("thinking", profiles.thinking...);
    each("form", profiles.form...);
    each("chatTemplate", profiles.chatTemplate...);
}

/// `above` where it sets something, `below` elsewhere.
Profile layered(Profile below, const Profile& above);

/// A JSON object with what is set.
std::string profileJson(const Profile& profile);
/// What is missing, out of its range or unknown to this version is not set; nor is all of a text that is no
/// object.
Profile profileFromJson(std::string_view json);

/// `sampler` with what the profile sets of it.
SamplerParams samplerOf(const Profile& profile, SamplerParams sampler);

/// What an answer is asked for beside its sampler. Stored with the answer when it begins, so that it can be
/// continued and checked as it was begun.
struct AnswerTerms {
    std::string systemPrompt;
    uint32_t maxTokens = 0;      ///< 0: no limit
    uint32_t contextTokens = 0;  ///< to be used at most; 0: all that the model has
    WhenFull whenFull = WhenFull::DropOldest;
    AnswerForm form;
    PromptForm promptForm;

    bool operator==(const AnswerTerms&) const = default;
};
AnswerTerms termsOf(const Profile& profile);

}  // namespace ingle::history
