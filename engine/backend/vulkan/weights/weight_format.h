/// How a matrix lies in device memory: its rows repacked without loss, so that kernels read whole 16-byte
/// vectors. One unit per type: engine/backend/vulkan/weights/formats/<type>.cpp defines `extern const
/// WeightFormat weight` in the namespace `<type>_weight`, and shaders/quant/<type>.glsl decodes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/tensor/tensor.h"

namespace ingle::backend::vulkan {

/// Values a kernel decodes at a time; rows are filled up with zeros to a multiple.
inline constexpr uint32_t kWeightGroup = 32;
inline constexpr uint32_t kMaxPlanes = 4;
/// Bytes of the vectors kernels read; planes begin at multiples of it.
inline constexpr uint32_t kVectorBytes = 16;

/// A part of a row: `bytes` for each `elems` values. 0 elems: there is none.
struct Plane {
    uint32_t elems = 0;
    uint32_t bytes = 0;
};

/// Where a row's planes begin.
using PlanePointers = std::array<std::byte*, kMaxPlanes>;

struct WeightFormat {
    std::string_view name;  ///< of the shader variants: "q4_k"
    quant::Quant id;        ///< of the files' format it takes
    std::array<Plane, kMaxPlanes> planes;
    std::span<const uint32_t> grid{};  ///< what shaders look up: words that follow the last row
    /// Repacks a row of k values into planes that hold zeros.
    void (*repackRow)(const std::byte* row, uint32_t k, const PlanePointers& planes);
};

std::span<const WeightFormat* const> allWeightFormats();
/// Null: there is none for this format; its values are stored as floats.
const WeightFormat* findWeightFormat(quant::Quant id);
/// Takes the values of every other format.
const WeightFormat& floatWeights();
/// How a matrix is stored. Those with side data are stored as the floats they stand for.
const WeightFormat& weightFormatOf(const tensor::Tensor& matrix);

/// A row of k values.
struct RowLayout {
    uint32_t rowBytes = 0;
    std::array<uint32_t, kMaxPlanes> offsets{};  ///< bytes, of each plane
};
RowLayout layoutRow(const WeightFormat& format, uint32_t k);

}  // namespace ingle::backend::vulkan
