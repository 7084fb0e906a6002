#include "engine/models/keys.h"

#include <span>

namespace ingle::models {

Result<Keys> Keys::of(const formats::ModelFile& file, uint32_t contextTokens) {
    INGLE_TRY_ASSIGN(std::string arch, file.metadata.string("general.architecture"));
    return Keys(file, std::move(arch), contextTokens);
}

bool Keys::isArray(std::string_view key) const {
    const formats::MetaValue* value = metadata().find(full(key));
    return value && std::holds_alternative<std::vector<int64_t>>(*value);
}

Result<std::vector<uint32_t>> Keys::perLayer(std::string_view key, uint32_t numLayers) const {
    const formats::MetaValue* value = metadata().find(full(key));
    const auto* numbers = value ? std::get_if<std::vector<int64_t>>(value) : nullptr;
    if (!numbers) {
        INGLE_TRY_ASSIGN(const uint32_t number, u32(key));
        return std::vector<uint32_t>(numLayers, number);
    }
    INGLE_TRY_ASSIGN(const uint32_t numFurther, numPredicting());
    if (numbers->size() != numLayers && numbers->size() != uint64_t{numLayers} + numFurther)
        return fail(ErrorCode::Corrupt, "{}: {} holds {} numbers for {} layers", m_file->path, key,
                    numbers->size(), numLayers);
    std::vector<uint32_t> perLayer;
    for (const int64_t number : std::span(*numbers).first(numLayers)) {
        if (number < 0 || number > UINT32_MAX) return cannotBe(key, number);
        perLayer.push_back(static_cast<uint32_t>(number));
    }
    return perLayer;
}

Result<std::vector<uint32_t>> Keys::numbers(std::string_view key) const {
    const formats::MetaValue* value = metadata().find(full(key));
    const auto* numbers = value ? std::get_if<std::vector<int64_t>>(value) : nullptr;
    if (!numbers) return fail(ErrorCode::Corrupt, "{}: {} is no array of numbers", m_file->path, key);
    std::vector<uint32_t> found;
    for (const int64_t number : *numbers) {
        if (number < 0 || number > UINT32_MAX) return cannotBe(key, number);
        found.push_back(static_cast<uint32_t>(number));
    }
    return found;
}

Result<std::vector<uint32_t>> Keys::perLayerOr(std::string_view key, std::vector<uint32_t> fallback) const {
    if (!metadata().find(full(key))) return fallback;
    return perLayer(key, static_cast<uint32_t>(fallback.size()));
}

Result<std::vector<float>> Keys::numberPerLayerOr(std::string_view key, uint32_t numLayers,
                                                  float fallback) const {
    const formats::MetaValue* value = metadata().find(full(key));
    const auto* numbers = value ? std::get_if<std::vector<double>>(value) : nullptr;
    if (!numbers) {
        INGLE_TRY_ASSIGN(const float number, f32Or(key, fallback));
        return std::vector<float>(numLayers, number);
    }
    if (numbers->size() < numLayers)
        return fail(ErrorCode::Corrupt, "{}: {} holds {} numbers for {} layers", m_file->path, key,
                    numbers->size(), numLayers);
    std::vector<float> perLayer;
    for (const double number : std::span(*numbers).first(numLayers))
        perLayer.push_back(static_cast<float>(number));
    return perLayer;
}

}  // namespace ingle::models
