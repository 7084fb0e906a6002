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

Status expectNoWindow(Translation& translation, const DecoderSizes& sizes, uint32_t window) {
    if (window > 0 && window < sizes.context) translation.setCount("context_length", window);
    return {};
}

Result<std::optional<uint32_t>> numDenseLayers(const Config& config) {
    const MetaValue* types = config.find("mlp_layer_types");
    if (!types) return std::nullopt;
    const auto* names = std::get_if<std::vector<std::string>>(types);
    if (!names) return fail(ErrorCode::Corrupt, "mlp_layer_types holds no names");
    uint32_t numDense = 0;
    while (numDense < names->size() && (*names)[numDense] == "dense") ++numDense;
    for (size_t layer = numDense; layer < names->size(); ++layer) {
        if ((*names)[layer] != "sparse")
            return fail(ErrorCode::Unsupported,
                        "mlp_layer_types: \"{}\" of layer {} is not supported behind experts",
                        shown((*names)[layer]), layer);
    }
    return numDense;
}

std::vector<int64_t> asFlags(const std::vector<bool>& layers) {
    return {layers.begin(), layers.end()};
}

}  // namespace ingle::formats
