/// Pixels of pictures: PNG, JPEG and WebP.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/documents/picture_answer.h"
#include "ingle/pictures.h"

namespace ingle::documents {

/// As readPicture(). Errors: those of picture_refusals.h.
Result<Picture> decodePixels(std::string_view bytes, Transparency transparency = Transparency::Dropped);

/// A PNG file of the picture; empty: there is no memory for it.
std::string encodePng(const Picture& picture);

// Of each format.

/// EXIF's number of where the first line and the first column are; 1: above and left.
inline constexpr uint32_t kUpright = 1;

/// A picture as it is stored.
struct StoredPicture {
    Picture picture;
    uint32_t orientation = kUpright;
};
Result<StoredPicture> decodePng(std::string_view bytes, Transparency transparency);
Result<StoredPicture> decodeJpeg(std::string_view bytes);
Result<StoredPicture> decodeWebp(std::string_view bytes, Transparency transparency);

/// Red, green, blue and opacity of each pixel as they look on white paper.
inline void putOnWhite(std::span<const uint8_t> rgba, uint8_t* rgb) {
    for (size_t at = 0; at + 4 <= rgba.size(); at += 4) {
        const uint32_t opacity = rgba[at + 3];
        for (size_t i = 0; i < 3; ++i)
            *rgb++ = static_cast<uint8_t>((rgba[at + i] * opacity + 255 * (255 - opacity) + 127) / 255);
    }
}

/// Whether a picture of this size may be read; its pixels are made then. Errors: pictureDamaged,
/// pictureTooManyPixels.
Result<Picture> emptyPicture(uint64_t width, uint64_t height);

/// The orientation in EXIF data, which begin with the header of a TIFF file; kUpright where they tell none.
uint32_t orientationOf(std::string_view exif);
/// The picture upright.
Picture turned(Picture picture, uint32_t orientation);

}  // namespace ingle::documents
