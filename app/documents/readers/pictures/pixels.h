/// Pixels of pictures: PNG, JPEG and WebP.
#pragma once

#include <string_view>

#include "ingle/pictures.h"

namespace ingle::documents {

/// As readPicture(). Errors: those of picture_refusals.h.
Result<Picture> decodePixels(std::string_view bytes);

// Of each format.

/// EXIF's number of where the first line and the first column are; 1: above and left.
inline constexpr uint32_t kUpright = 1;

/// A picture as it is stored.
struct StoredPicture {
    Picture picture;
    uint32_t orientation = kUpright;
};
Result<StoredPicture> decodePng(std::string_view bytes);
Result<StoredPicture> decodeJpeg(std::string_view bytes);
Result<StoredPicture> decodeWebp(std::string_view bytes);

/// Whether a picture of this size may be read; its pixels are made then. Errors: pictureDamaged,
/// pictureTooManyPixels.
Result<Picture> emptyPicture(uint64_t width, uint64_t height);

/// The orientation in EXIF data, which begin with the header of a TIFF file; kUpright where they tell none.
uint32_t orientationOf(std::string_view exif);
/// The picture upright.
Picture turned(Picture picture, uint32_t orientation);

}  // namespace ingle::documents
