#include "engine/backend/vulkan/memory/picture_buffer.h"

#include <algorithm>

namespace ingle::backend::vulkan {

void writePictures(const Step& step, std::span<PictureEntry> out) {
    std::ranges::fill(out, PictureEntry{});
    for (size_t row = 0; row < step.coordinates.size(); ++row) {
        const Coordinates& given = step.coordinates[row];
        std::ranges::copy(given, out[row].coordinates.begin());
    }
    uint32_t row = 0, given = 0;
    for (const SequenceRun& run : step.runs)
        for (uint32_t i = 0; i < run.numRows; ++i, ++row)
            if (run.isPicture) out[row].given = given++;
}

}  // namespace ingle::backend::vulkan
