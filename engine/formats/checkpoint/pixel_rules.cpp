#include "engine/formats/checkpoint/pixel_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/formats/checkpoint/translation.h"

namespace ingle::formats {
namespace {

using Channels = std::array<double, 3>;

Result<Channels> readChannels(const Config& pixels, std::string_view key, const Channels& usual) {
    const MetaValue* found = pixels.find(key);
    if (!found) return usual;
    std::vector<double> values;
    if (const auto* numbers = std::get_if<std::vector<double>>(found)) values = *numbers;
    if (const auto* whole = std::get_if<std::vector<int64_t>>(found))
        values.assign(whole->begin(), whole->end());
    Channels channels{};
    if (values.size() != channels.size())
        return fail(ErrorCode::Corrupt, "preprocessor_config.json: '{}' is no list of three numbers", key);
    std::ranges::copy(values, channels.begin());
    return channels;
}

/// What pixels from 0 to 1 are multiplied by.
Result<double> readScale(const Config& pixels) {
    constexpr double kMostOfByte = 255, kSame = 1e-6;
    INGLE_TRY_ASSIGN(const bool isRescaled, pixelFlag(pixels, "do_rescale", true));
    if (!isRescaled) return kMostOfByte;
    constexpr auto kUsual = static_cast<float>(1 / kMostOfByte);
    INGLE_TRY_ASSIGN(const float factor, pixels.f32Or("rescale_factor", kUsual, kUsual));
    const double scale = kMostOfByte * static_cast<double>(factor);
    if (!(scale > 0) || !std::isfinite(scale))
        return fail(ErrorCode::Corrupt, "preprocessor_config.json: rescale_factor cannot be {}", factor);
    return std::abs(scale - 1) < kSame ? 1 : scale;
}

}  // namespace

Result<bool> pixelFlag(const Config& pixels, std::string_view key, bool usual) {
    if (!pixels.find(key)) return usual;
    return pixels.boolOr(key, usual);
}

Status expectResizing(const Config& pixels, const VisionPart& part) {
    INGLE_TRY_ASSIGN(const bool isResized, pixelFlag(pixels, "do_resize", true));
    if (!isResized)
        return fail(ErrorCode::Unsupported, "preprocessor_config.json: do_resize false is not supported");
    INGLE_TRY_ASSIGN(const uint32_t filter, pixels.u32Or("resample", part.resample, part.resample));
    if (filter != part.resample)
        return fail(ErrorCode::Unsupported, "preprocessor_config.json: resample {} is not supported", filter);
    return {};
}

Status expectForms(const Config& pixels, std::string_view key, std::span<const std::string_view> forms,
                   std::optional<uint32_t> side) {
    for (const auto& [name, value] : pixels.all()) {
        if (!name.starts_with(key)) continue;
        std::string_view form = std::string_view(name).substr(key.size());
        if (!form.empty() && form.front() != '.') continue;  // another key
        if (!form.empty()) form.remove_prefix(1);
        const auto* number = std::get_if<int64_t>(&value);
        const bool isKnown = std::ranges::find(forms, form) != forms.end() && number;
        if (!isKnown)
            return fail(ErrorCode::Unsupported, "preprocessor_config.json: '{}' is not supported",
                        shown(name));
        if (side && *number != *side)
            return fail(ErrorCode::Unsupported,
                        "preprocessor_config.json: '{}' {} is not supported for a tower that has {}",
                        shown(name), *number, *side);
    }
    return {};
}

Status setNormalisation(Translation& t, const Config& pixels, const VisionPart& part) {
    INGLE_TRY_ASSIGN(Channels mean, readChannels(pixels, "image_mean", part.mean));
    INGLE_TRY_ASSIGN(Channels deviation, readChannels(pixels, "image_std", part.deviation));
    INGLE_TRY_ASSIGN(const bool isNormalised, pixelFlag(pixels, "do_normalize", part.normalises));
    if (!isNormalised) {
        mean.fill(0);
        deviation.fill(1);
    }
    // (scale x - mean) / deviation
    INGLE_TRY_ASSIGN(const double scale, readScale(pixels));
    for (double& value : mean) value /= scale;
    for (double& value : deviation) value /= scale;
    t.set("vision.image_mean", std::vector<double>(mean.begin(), mean.end()));
    t.set("vision.image_std", std::vector<double>(deviation.begin(), deviation.end()));
    return {};
}

}  // namespace ingle::formats
