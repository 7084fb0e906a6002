/// What Hunyuan's families have in common.
#pragma once

#include "engine/models/decoder.h"

namespace ingle::models {

/// Heads of q and k normalised behind their rotation; with rope.scaling.alpha, its base is multiplied by
/// alpha^(d / (d - 2)), d the rotated size of a head. Errors: Corrupt.
Result<DecoderSpec> readHunyuan(const Keys& keys);

}  // namespace ingle::models
