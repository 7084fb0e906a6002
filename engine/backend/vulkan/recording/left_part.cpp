#include "engine/backend/vulkan/recording/left_part.h"

#include <algorithm>

namespace ingle::backend::vulkan {

void LeftPart::compute(PartRunner& runner, uint32_t numRows) const {
    auto* to = reinterpret_cast<float*>(y.host);
    runner.run(part, numRows, inputs, to, stride);
    // Rows that only fill a recording up are computed with, too.
    std::fill(to + numRows * stride, to + recordedRows * stride, 0.0F);
}

}  // namespace ingle::backend::vulkan
