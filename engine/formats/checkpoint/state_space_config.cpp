#include "engine/formats/checkpoint/state_space_config.h"

#include <cfloat>

namespace ingle::formats {

Result<uint32_t> stepRank(const Config& config, std::string_view key, uint32_t dim) {
    const uint32_t usual = dim / 16 + (dim % 16 != 0 ? 1 : 0);
    const MetaValue* value = config.find(key);
    const auto* text = value ? std::get_if<std::string>(value) : nullptr;
    if (text && *text == "auto") return usual;
    return config.u32Or(key, usual);
}

Status expectNoStepLimit(const Config& config) {
    constexpr std::string_view kKey = "time_step_limit";
    const MetaValue* value = config.find(kKey);
    std::vector<double> limits;
    if (const auto* numbers = value ? std::get_if<std::vector<double>>(value) : nullptr) limits = *numbers;
    if (const auto* numbers = value ? std::get_if<std::vector<int64_t>>(value) : nullptr)
        limits.assign(numbers->begin(), numbers->end());
    // JSON has no infinity: it is written as a text, left out as a value of another kind, or the largest
    // number there is. No step is longer than the largest float.
    const bool isLimited = (!limits.empty() && limits[0] > 0) || (limits.size() > 1 && limits[1] < FLT_MAX);
    if (!isLimited) return {};
    return fail(ErrorCode::Unsupported, "{} is not supported for such models", kKey);
}

}  // namespace ingle::formats
