#pragma once

#include <cstdint>

namespace ingle::backend::vulkan {

/// How activations enter a product of few rows: as they are, or rounded (RowForm::Bytes), an approximation.
enum class MatvecInput : uint8_t { Floats, Bytes };

}  // namespace ingle::backend::vulkan
