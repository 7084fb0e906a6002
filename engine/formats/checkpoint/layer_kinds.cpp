#include "engine/formats/checkpoint/layer_kinds.h"

namespace ingle::formats {

Result<std::optional<std::vector<bool>>> layersOfKind(const Config& config, std::string_view kind,
                                                      uint32_t numLayers) {
    const MetaValue* types = config.find("layer_types");
    if (!types) return std::nullopt;
    const auto* names = std::get_if<std::vector<std::string>>(types);
    if (!names || names->size() != numLayers)
        return fail(ErrorCode::Corrupt, "layer_types names {} layers of {}", names ? names->size() : 0,
                    numLayers);
    std::vector<bool> layers;
    for (const std::string& name : *names) layers.push_back(name == kind);
    return layers;
}

std::vector<int64_t> asFlags(const std::vector<bool>& layers) {
    return {layers.begin(), layers.end()};
}

}  // namespace ingle::formats
