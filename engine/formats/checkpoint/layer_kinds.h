/// Which layers of a model are of which kind: "layer_types" of config.json.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/formats/checkpoint/translation.h"

namespace ingle::formats {

/// One flag a layer: whether it is of that kind. Nothing where config.json does not name kinds. Errors:
/// Corrupt (not one for each layer).
Result<std::optional<std::vector<bool>>> layersOfKind(const Config& config, std::string_view kind,
                                                      uint32_t numLayers);

/// Makes the context no longer than a window that some layers have: up to its length they are as those
/// without. For families that have no windows. Errors: Corrupt.
Status expectNoWindow(Translation& translation, const DecoderSizes& sizes, uint32_t window);

/// How many layers come before those with experts, by mlp_layer_types; nothing where config.json does not
/// name kinds. Errors: Corrupt, Unsupported (one behind them).
Result<std::optional<uint32_t>> numDenseLayers(const Config& config);

/// layersOfKind() as numbers of 0 and 1, for keys.
std::vector<int64_t> asFlags(const std::vector<bool>& layers);

}  // namespace ingle::formats
