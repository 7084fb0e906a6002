/// How tensors are named in the folders of most architectures.
#pragma once

#include <span>

#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats {

/// Tensors of decoders as most architectures name them, and tables that nobody needs. What an architecture
/// says itself goes before them.
std::span<const TensorRule> commonRules();

}  // namespace ingle::formats
