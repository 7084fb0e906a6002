/// What the configurations of Mamba have in common.
#pragma once

#include "engine/formats/checkpoint/translation.h"

namespace ingle::formats {

/// The rank of what steps are made of: a number, or "auto", a sixteenth of the model's width. Errors:
/// Corrupt.
Result<uint32_t> stepRank(const Config& config, std::string_view key, uint32_t dim);

/// That steps are as long as they like: time_step_limit. Errors: Unsupported.
Status expectNoStepLimit(const Config& config);

}  // namespace ingle::formats
