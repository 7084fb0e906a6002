/// Where the invocations of a subgroup have the elements of the matrices that they multiply together, which
/// Vulkan leaves to drivers.
#pragma once

#include <optional>
#include <span>

#include "engine/backend/vulkan/substrate/pipelines.h"

namespace ingle::backend::vulkan {

/// Of sums, as shaders/matrix_rows.glsl wants it: an invocation has elements of `rows` rows; its element j is
/// of its row (j >> shift) % rows; the invocations that share a row differ in the bits of `xors`.
struct MatrixLayout {
    uint32_t rows = 0, shift = 0, xors = 0;
    auto operator<=>(const MatrixLayout&) const = default;
};

/// The layout that `found` tells of, which is what shaders/matrix_layout.comp writes. Nothing where it is
/// another, or where left factors do not lie as sums do.
std::optional<MatrixLayout> layoutOf(const MatrixUnits& units, std::span<const uint32_t> found);

/// Asks the device, which has the units. Errors: Device, OutOfMemory.
Result<std::optional<MatrixLayout>> findMatrixLayout(Device& device, Pipelines& pipelines);

}  // namespace ingle::backend::vulkan
