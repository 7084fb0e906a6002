#include "app/serve/api/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <random>

#include "app/codec/sampler_form.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kMostStops = 16;
constexpr size_t kMostBiases = 1024;
constexpr size_t kMostBreakerBytes = 64;

uint64_t randomSeed() {
    std::random_device device;
    return uint64_t{device()} << 32 | device();
}

struct SamplerReader {
    Fields& fields;

    void required(const char* name, float& value, codec::Range range) {
        if (const auto given = fields.number(name, range.least, range.most))
            value = static_cast<float>(*given);
    }
    void sparse(const char* name, float& value, float, codec::Range range) { required(name, value, range); }
};

void readStops(Fields& fields, std::vector<std::string>& stops) {
    const json* given = fields.any("stop");
    if (given == nullptr) return;
    const json list = given->is_string() ? json::array({*given}) : *given;
    bool isFit = list.is_array() && list.size() <= kMostStops;
    if (isFit) {
        for (const json& each : list) {
            isFit = isFit && each.is_string() && !each.get_ref<const std::string&>().empty();
            if (isFit) stops.push_back(each.get<std::string>());
        }
    }
    if (!isFit)
        fields.complain(fmt::format("'stop' must be a text, or a list of at most {} texts.", kMostStops),
                        "stop");
}

/// {"TOKEN ID": BIAS}
void readBiases(Fields& fields, std::vector<LogitBias>& biases) {
    const json* given = fields.object("logit_bias");
    if (given == nullptr) return;
    bool isFit = given->size() <= kMostBiases;
    for (const auto& [key, value] : given->items()) {
        LogitBias bias;
        const auto parsed = std::from_chars(key.data(), key.data() + key.size(), bias.id);
        isFit = isFit && parsed.ec == std::errc{} && parsed.ptr == key.data() + key.size() && bias.id >= 0 &&
                value.is_number() && value.get<double>() >= -100 && value.get<double>() <= 100;
        if (!isFit) break;
        bias.bias = value.get<float>();
        biases.push_back(bias);
    }
    if (!isFit)
        fields.complain(
            fmt::format("'logit_bias' must give at most {} token ids numbers from -100 to 100.", kMostBiases),
            "logit_bias");
}

/// By the names of llama.cpp's server.
void readFurther(Fields& fields, SamplerParams& sampler) {
    const auto number = [&](const char* name, float& value, double least, double most) {
        if (const auto given = fields.number(name, least, most)) value = static_cast<float>(*given);
    };
    const auto count = [&](const char* name, uint32_t& value, uint32_t whereNegative) {
        if (const auto given = fields.integer(name, -1, std::numeric_limits<int32_t>::max()))
            value = *given < 0 ? whereNegative : static_cast<uint32_t>(*given);
    };
    number("repeat_penalty", sampler.repeatPenalty, 0.1, 10);
    count("repeat_last_n", sampler.lastN, UINT32_MAX);
    number("top_n_sigma", sampler.topNSigma, -1, 100);
    number("xtc_probability", sampler.xtcProbability, 0, 1);
    number("xtc_threshold", sampler.xtcThreshold, 0, 1);
    number("dry_multiplier", sampler.dryMultiplier, 0, 100);
    number("dry_base", sampler.dryBase, 1, 10);
    count("dry_allowed_length", sampler.dryAllowed, 0);
    count("dry_penalty_last_n", sampler.dryLastN, UINT32_MAX);
    const json* breakers = fields.list("dry_sequence_breakers");
    if (breakers == nullptr) {
        if (sampler.dryMultiplier > 0) sampler.dryBreakers = {"\n", ":", "\"", "*"};
        return;
    }
    bool isFit = breakers->size() <= kMostStops;
    for (const json& each : *breakers) {
        isFit = isFit && each.is_string() && each.get_ref<const std::string&>().size() <= kMostBreakerBytes;
        if (isFit) sampler.dryBreakers.push_back(each.get<std::string>());
    }
    if (!isFit)
        fields.complain(fmt::format("'dry_sequence_breakers' must be a list of at most {} texts of {} bytes.",
                                    kMostStops, kMostBreakerBytes),
                        "dry_sequence_breakers");
}

}  // namespace

void readSampling(Fields& fields, GenerateRequest& request) {
    SamplerParams& sampler = request.sampler;
    SamplerReader reader{fields};
    codec::samplerForm(reader, sampler);
    if (const auto k = fields.integer("top_k", -1, std::numeric_limits<int32_t>::max()))
        sampler.topK = static_cast<int32_t>(std::max<int64_t>(*k, 0));
    readFurther(fields, sampler);
    const auto seed =
        fields.integer("seed", std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
    sampler.seed = seed ? static_cast<uint64_t>(*seed) : randomSeed();
    readBiases(fields, sampler.logitBias);
    readStops(fields, request.stops);
    if (auto grammar = fields.text("grammar")) request.grammar = std::move(*grammar);
}

}  // namespace ingle::serve::api
