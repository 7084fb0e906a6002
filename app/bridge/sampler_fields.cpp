#include "app/bridge/sampler_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "app/codec/sampler_form.h"

namespace ingle::bridge {
namespace {

struct Further {
    std::string_view name;
    std::string_view words;  ///< for people
};
constexpr std::array kFurther{
    Further{"top_k", "top-k"},
    Further{"min_p", "min-p"},
    Further{"typical_p", "typical-p"},
    Further{"repetition_penalty", "the repetition penalty"},
    Further{"repeat_penalty", "the repetition penalty"},  // llama.cpp's name of it
};
/// As top_k it keeps all, of whatever vocabulary: some servers want 0 for that, others -1.
constexpr int32_t kAll = 1 << 30;

/// Rounded, so that 0.7 travels as 0.7 and not as the nearest number of 32 bits.
double decimal(float value) {
    return std::stod(fmt::format("{}", value));
}

struct SamplerWriter {
    nlohmann::json& request;

    void required(const char* name, float value, codec::Range) { request[name] = decimal(value); }
    void sparse(const char* name, float value, float off, codec::Range range) {
        if (value != off) required(name, value, range);
    }
};

bool isOfName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

void addSampler(nlohmann::json& request, const SamplerParams& sampler) {
    SamplerWriter writer{request};
    codec::samplerForm(writer, sampler);
    for (const LogitBias& bias : sampler.logitBias)
        request["logit_bias"][std::to_string(bias.id)] = decimal(bias.bias);
    // Its seeds are signed.
    request["seed"] = sampler.seed & static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    request["top_k"] = sampler.topK > 0 ? sampler.topK : kAll;
    if (request.contains("repetition_penalty")) request["repeat_penalty"] = request["repetition_penalty"];
}

bool namesField(std::string_view refusal, std::string_view field) {
    for (size_t at = refusal.find(field); at != refusal.npos; at = refusal.find(field, at + 1)) {
        const size_t end = at + field.size();
        if ((at == 0 || !isOfName(refusal[at - 1])) && (end == refusal.size() || !isOfName(refusal[end])))
            return true;
    }
    return false;
}

FieldNames refusedFields(const nlohmann::json& request, std::string_view refusal) {
    FieldNames refused;
    for (const Further& field : kFurther) {
        if (request.contains(field.name) && namesField(refusal, field.name)) refused.emplace(field.name);
    }
    return refused;
}

std::string wordsOf(const FieldNames& leftOut, const nlohmann::json& request) {
    std::vector<std::string_view> words;
    for (const Further& field : kFurther) {
        const bool isSaid = std::ranges::any_of(kFurther, [&](const Further& other) {
            return other.words == field.words && request.contains(other.name);
        });
        if (leftOut.contains(field.name) && !isSaid && (words.empty() || words.back() != field.words))
            words.push_back(field.words);
    }
    std::string list;
    for (size_t i = 0; i < words.size(); ++i) {
        if (i > 0) list += i + 1 == words.size() ? " and " : ", ";
        list += words[i];
    }
    return list;
}

}  // namespace ingle::bridge
