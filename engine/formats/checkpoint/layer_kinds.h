/// Which layers of a model are of which kind: "layer_types" of config.json.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/formats/checkpoint/config.h"

namespace ingle::formats {

/// One flag a layer: whether it is of that kind. Nothing where config.json does not name kinds. Errors:
/// Corrupt (not one for each layer).
Result<std::optional<std::vector<bool>>> layersOfKind(const Config& config, std::string_view kind,
                                                      uint32_t numLayers);

/// The same as numbers of 0 and 1, for keys.
std::vector<int64_t> asFlags(const std::vector<bool>& layers);

}  // namespace ingle::formats
