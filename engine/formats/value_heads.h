/// Gated delta nets whose value heads lie otherwise than GGUF files have them.
#pragma once

#include <string_view>

#include "engine/formats/model_file.h"

namespace ingle::formats {

/// "<architecture>.ssm.…": value heads that read the same key head lie side by side, as in the folders of
/// Qwen3.5, not by turns. Other engines do not know this key, and no file that is written has it.
inline constexpr std::string_view kConsecutiveValueHeads = "ssm.inglenook_consecutive_value_heads";

/// Puts them in turns, in all that has rows, numbers or columns by value heads, and takes the key away.
/// Nothing is copied but vectors: the others are made row by row as they are read. Errors: Corrupt (sizes
/// that contradict each other), OutOfMemory.
Status tileValueHeads(ModelFile& model);

}  // namespace ingle::formats
