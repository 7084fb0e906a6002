/// What rows of a step have beside tokens, with the struct of shaders/pictures.glsl: coordinates, and which
/// of the given rows of pictures they are.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/backend/backend.h"

namespace ingle::backend::vulkan {

struct PictureEntry {
    static constexpr uint32_t kNoRow = ~0U;

    /// Where the last one is kNoRow they are those of a text: three times its position in the sequence, and
    /// 0.
    std::array<uint32_t, 4> coordinates{0, 0, 0, kNoRow};
    uint32_t given = kNoRow;  ///< kNoRow: it is a token
};
static_assert(sizeof(PictureEntry) == 5 * sizeof(uint32_t));

/// Writes an entry for each row of the step, and for those behind it.
void writePictures(const Step& step, std::span<PictureEntry> out);

}  // namespace ingle::backend::vulkan
