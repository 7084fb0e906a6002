/// Resizing of pictures, byte for byte as Pillow does it: what vision models were trained with.
#pragma once

#include <array>

#include "ingle/pictures.h"

namespace ingle::vision {

enum class Filter : uint8_t {
    Bilinear,  ///< a triangle
    Bicubic,   ///< of Keys with a = -1/2
    Lanczos,   ///< of three lobes
};

using Colour = std::array<uint8_t, 3>;

struct Size {
    uint32_t width = 0;
    uint32_t height = 0;

    uint64_t area() const { return uint64_t{width} * height; }
    bool operator==(const Size&) const = default;
};
inline Size sizeOf(const Picture& picture) {
    return {picture.width, picture.height};
}

/// Each dimension by itself, the width first; one that stays is not filtered. The filter is widened where a
/// picture shrinks. Source: Pillow, src/libImaging/Resample.c (its arithmetic, 22 bits behind the point).
Picture resized(const Picture& picture, Size size, Filter filter);
/// As large as fits into `size` without changing its proportions, in the middle of `padding`.
Picture fitted(const Picture& picture, Size size, Filter filter, const Colour& padding);
/// The part of that size whose first pixel is (x, y).
Picture cropped(const Picture& picture, uint32_t x, uint32_t y, Size size);

}  // namespace ingle::vision
