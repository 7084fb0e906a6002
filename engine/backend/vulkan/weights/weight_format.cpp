#include "engine/backend/vulkan/weights/weight_format.h"

#include <algorithm>

namespace ingle::backend::vulkan {

const WeightFormat* findWeightFormat(quant::Quant id) {
    const auto formats = allWeightFormats();
    const auto found = std::ranges::find(formats, id, &WeightFormat::id);
    return found == formats.end() ? nullptr : *found;
}

const WeightFormat& floatWeights() {
    return *findWeightFormat(quant::kF32);
}

const WeightFormat& weightFormatOf(const tensor::Tensor& matrix) {
    const WeightFormat* known = matrix.side ? nullptr : findWeightFormat(matrix.format->id);
    return known ? *known : floatWeights();
}

RowLayout layoutRow(const WeightFormat& format, uint32_t k) {
    RowLayout layout;
    for (uint32_t i = 0; i < kMaxPlanes; ++i) {
        const Plane& plane = format.planes[i];
        layout.offsets[i] = layout.rowBytes;
        if (plane.elems == 0) continue;
        const uint32_t bytes = (k + plane.elems - 1) / plane.elems * plane.bytes;
        layout.rowBytes += (bytes + kVectorBytes - 1) / kVectorBytes * kVectorBytes;
    }
    return layout;
}

}  // namespace ingle::backend::vulkan
